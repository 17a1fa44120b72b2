#include "common/ops/edit_distance.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<EditDistance>;
}  // namespace tallcache
