#include "common/ops/qr.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Qr<float>>;
template struct OperationRecord<Qr<double>>;
}  // namespace tallcache
