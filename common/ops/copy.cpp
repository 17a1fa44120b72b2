#include "common/ops/copy.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
#define TALLCACHE_RECORD(T) template struct OperationRecord<Copy<T>>;
TALLCACHE_NUMBERS(TALLCACHE_RECORD)
}  // namespace tallcache
