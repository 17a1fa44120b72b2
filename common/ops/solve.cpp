#include "common/ops/solve.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Solve<double>>;
}  // namespace tallcache
