#include "common/ops/alignment.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Alignment>;
}  // namespace tallcache
