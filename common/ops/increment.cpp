#include "common/ops/increment.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
#define TALLCACHE_RECORD(T) template struct OperationRecord<Increment<T>>;
TALLCACHE_NUMBERS(TALLCACHE_RECORD)
}  // namespace tallcache
