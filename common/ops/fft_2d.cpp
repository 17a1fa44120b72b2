#include "common/ops/fft_2d.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<Fft2d<double>>;
template struct OperationRecord<Fft2d<float>>;
}  // namespace tallcache
