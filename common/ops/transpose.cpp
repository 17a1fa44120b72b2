#include "common/ops/transpose.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
#define TALLCACHE_RECORD(T)                      \
  template struct OperationRecord<Transpose<T>>; \
  template struct OperationRecord<TransposeInPlace<T>>;
TALLCACHE_NUMBERS(TALLCACHE_RECORD)
}  // namespace tallcache
