#include "common/ops/integer_product.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<IntegerProduct>;
}  // namespace tallcache
