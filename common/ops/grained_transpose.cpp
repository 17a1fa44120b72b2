#include "common/ops/grained_transpose.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
#define TALLCACHE_RECORD(T)                        \
  template struct OperationRecord<FineGrained<T>>; \
  template struct OperationRecord<CoarseGrained<T>>;
TALLCACHE_NUMBERS(TALLCACHE_RECORD)
}  // namespace tallcache
