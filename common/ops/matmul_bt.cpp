#include "common/ops/matmul_bt.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
#define TALLCACHE_RECORD(T) template struct OperationRecord<MatmulBt<T>>;
TALLCACHE_NUMBERS(TALLCACHE_RECORD)
}  // namespace tallcache
