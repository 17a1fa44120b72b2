#include "common/ops/fft_batched.hpp"

#include "common/operation_record.hpp"

namespace tallcache {
template struct OperationRecord<FftBatched<double>>;
template struct OperationRecord<FftBatched<float>>;
}  // namespace tallcache
