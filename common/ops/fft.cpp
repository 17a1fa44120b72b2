#include "common/ops/fft.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Fft<double>>;
template struct OperationRecord<Fft<float>>;
}  // namespace tallcache
