#include "common/ops/matmul.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
#define TALLCACHE_RECORD(T) template struct OperationRecord<Matmul<T>>;
TALLCACHE_NUMBERS(TALLCACHE_RECORD)
TALLCACHE_RECORD(Bfloat16)
}  // namespace tallcache
