#include "common/ops/counting_sort.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<CountingSort<false>>;
template struct OperationRecord<CountingSort<true>>;
}  // namespace tallcache
