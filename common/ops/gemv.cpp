#include "common/ops/gemv.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
#define TALLCACHE_RECORD(T) template struct OperationRecord<Gemv<T>>;
TALLCACHE_NUMBERS(TALLCACHE_RECORD)
}  // namespace tallcache
