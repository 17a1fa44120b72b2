#include "common/ops/counting_sort_in_place.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<CountingSortInPlace>;
}  // namespace tallcache
