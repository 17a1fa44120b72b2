#include "common/ops/fib.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Fib>;
}  // namespace tallcache
