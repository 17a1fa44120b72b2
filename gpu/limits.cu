#include "gpu/limits.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/element.hpp"
#include "common/measure/harness.hpp"
#include "gpu/check.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/tensor_peaks.hpp"

namespace tallcache {
namespace {

constexpr int chains = 16, steps = 4096, threads = 256;

// What a chain makes of its value, of another chain's and of one that all share.
struct MultiplyAdd {
  template <class T>
  static __device__ T step(T value, T, T factor) {
    return value * factor + factor;
  }
};
struct Logic {
  static __device__ unsigned step(unsigned value, unsigned other, unsigned mask) {
    return (value & other) ^ mask;
  }
};
struct AddMinimum {
  static __device__ float step(float value, float other, float weight) {
    return fminf(value, other + weight);
  }
  static __device__ int step(int value, int other, int weight) { return min(value, other + weight); }
};

/// Chains of operations for each thread hide their latency. Half as many chains, and half as many steps of a
/// loop at once, do a tenth fewer additions and minima of floats a second.
template <class Operation, class T>
__global__ void operate(T* out, T factor) {
  T value[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) value[c] = static_cast<T>(threadIdx.x + c);
#pragma unroll 16
  for (int s = 0; s < steps; ++s)
#pragma unroll
    for (int c = 0; c < chains; ++c) value[c] = Operation::step(value[c], value[(c + 1) % chains], factor);
  T sum{};
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += value[c];
  // Never true, but the compiler does not know: the sums must be computed.
  if (sum == static_cast<T>(-1)) *out = sum;
}

template <class Operation, class T>
void start_operations(const void* erased, const Params&, const Launch& launch) {
  const auto& args = *static_cast<const gpu::PeakArgs*>(erased);
  operate<Operation>
      <<<args.blocks, threads, 0, gpu::stream_of(launch)>>>(static_cast<T*>(args.out), static_cast<T>(0.5));
  gpu::check_launch();
}

struct CopyArgs {
  void *to, *from;
  std::size_t bytes;
};

void start_copy(const void* erased, const Params&, const Launch& launch) {
  const auto& args = *static_cast<const CopyArgs*>(erased);
  TALLCACHE_CUDA(
      cudaMemcpyAsync(args.to, args.from, args.bytes, cudaMemcpyDeviceToDevice, gpu::stream_of(launch)));
}

/// The rate of `work` units a run, over six rounds behind one to warm up.
Rated rate(Executor& executor, Entry entry, const void* args, double work) {
  constexpr int rounds = 6;
  std::vector<double> rates;
  executor.seconds(entry, args, {}, {}, 1);
  for (int round = 0; round < rounds; ++round)
    rates.push_back(work / executor.seconds(entry, args, {}, {}, 1));
  return {median(rates), median_absolute_deviation(rates), *std::max_element(rates.begin(), rates.end()),
          rounds};
}

FlopPeak peak_of(Executor& executor, const gpu::TensorUnit& unit, int multiprocessors) {
  const auto out = executor.allocate(sizeof(double));
  executor.fill(*out, 0xff);
  const gpu::PeakArgs args{out->bytes().data(),
                           static_cast<unsigned>(multiprocessors) * unit.blocks_of_sm * 4};
  const double flops = 2.0 * unit.multiply_adds * unit.instructions * args.blocks;
  FlopPeak peak{.element = std::string(unit.element),
                .threads = 1,
                .lanes = unit.multiply_adds,
                .gflop_per_s = rate(executor, unit.start, &args, flops * 1e-9)};
  double sum = 0;
  TALLCACHE_CUDA(cudaMemcpy(&sum, args.out, sizeof sum, cudaMemcpyDeviceToHost));
  if (sum != unit.sum) throw Error("the matrix instructions of " + peak.element + " gave a wrong sum");
  return peak;
}

}  // namespace

Limits measure_gpu_limits(int device) {
  const auto executor = make_cuda_executor(device);
  int multiprocessors = 0;
  TALLCACHE_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const auto out = executor->allocate(sizeof(double));
  // 16 times the blocks that fill the device, so that the last ones take little of the time.
  const gpu::PeakArgs peak{out->bytes().data(), static_cast<unsigned>(multiprocessors * 8 * 16)};
  const double operations = 1.0 * chains * steps * threads * peak.blocks;

  const std::size_t bytes = std::size_t{1} << 30;  // far beyond the second-level cache
  const auto to = executor->allocate(bytes), from = executor->allocate(bytes);
  executor->fill(*from, 1);
  const CopyArgs copy{to->bytes().data(), from->bytes().data(), bytes};
  const auto peak_on_cores = [&]<class T>(T) {
    return FlopPeak{
        .element = std::string(Element<T>::name),
        .threads = 1,
        .lanes = 1,
        .gflop_per_s = rate(*executor, &start_operations<MultiplyAdd, T>, &peak, 2 * operations * 1e-9)};
  };
  const auto other = [&](const char* name, const char* element, Entry start) {
    return OperationPeak{name, element, rate(*executor, start, &peak, operations * 1e-9)};
  };
  Limits limits;
  limits.clock_ghz = Figure<double>::none("not measured on a GPU");
  limits.fused = true;
  limits.peaks = {peak_on_cores(float{}), peak_on_cores(double{})};
  for (const gpu::TensorUnit& unit : gpu::tensor_units(device))
    limits.peaks.push_back(peak_of(*executor, unit, multiprocessors));
  limits.operations = {other("logic", "uint32", &start_operations<Logic, unsigned>),
                       other("add_minimum", "float", &start_operations<AddMinimum, float>),
                       other("add_minimum", "int32", &start_operations<AddMinimum, int>)};
  const double gigabytes = 2.0 * static_cast<double>(bytes) * 1e-9;
  limits.bandwidths = {{"copy", 1, 2 * bytes, rate(*executor, &start_copy, &copy, gigabytes)}};
  return limits;
}

}  // namespace tallcache
