#include "common/ops/fft_real.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<FftReal<double>>;
template struct OperationRecord<FftReal<float>>;
}  // namespace tallcache
