#include "common/ops/fft.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Fft>;
}  // namespace tallcache
