#include "gpu/memory_probes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/measure/statistics.hpp"
#include "gpu/check.hpp"
#include "gpu/cuda_executor.hpp"
#include "gpu/kernel_limits.hpp"

namespace tallcache::gpu {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 30;
constexpr std::size_t line_bytes = 128;
constexpr int threads = 256, loads_of_thread = 8;

struct Chased {
  unsigned long long cycles, nanoseconds, last;
};

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// `warm` and then `steps` dependent loads. A use of the value before the second reading of the clock waits
/// for the last of them.
template <class Address, class Load>
__device__ Chased chase(Address at, unsigned long long warm, unsigned long long steps, Load load) {
  for (unsigned long long i = 0; i < warm; ++i) at = load(at);
  const unsigned long long start_ns = nanoseconds() + (at == 1), start = clock64() + (at == 1);
  for (unsigned long long i = 0; i < steps; i += 16)
#pragma unroll
    for (int j = 0; j < 16; ++j) at = load(at);
  const unsigned long long cycles = clock64() + (at == 1) - start;
  return {cycles, nanoseconds() + (at == 1) - start_ns, static_cast<unsigned long long>(at)};
}

/// Block `block` alone chases: the blocks of a grid start on one multiprocessor each.
__global__ void chase_global(unsigned long long first, unsigned block, unsigned long long warm,
                             unsigned long long steps, Chased* out) {
  if (blockIdx.x != block) return;
  // A volatile load would not look into the first-level cache.
  *out = chase(first, warm, steps, [](unsigned long long at) {
    asm volatile("ld.global.ca.b64 %0, [%0];" : "+l"(at));
    return at;
  });
}

constexpr unsigned small = 256;  // elements of the small memories
constexpr unsigned long long small_steps = 1 << 18;

/// The element after element i: all form one cycle.
__host__ __device__ constexpr unsigned next_of(unsigned i) { return (i + 33) % small; }

__global__ void chase_shared(Chased* out) {
  __shared__ unsigned next[small];
  const auto begin = static_cast<unsigned>(__cvta_generic_to_shared(next));
  for (unsigned i = 0; i < small; ++i) next[i] = begin + next_of(i) * sizeof(unsigned);
  *out = chase(begin, small, small_steps, [](unsigned at) {
    asm volatile("ld.shared.b32 %0, [%0];" : "+r"(at));
    return at;
  });
}

__constant__ unsigned constant_next[small];  // in bytes

__global__ void chase_constant(Chased* out) {
  *out = chase(0u, small, small_steps, [](unsigned at) {
    return *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(constant_next) + at);
  });
}

__global__ void chase_local(Chased* out) {
  unsigned next[small];
  const auto begin = static_cast<unsigned>(__cvta_generic_to_local(next));
  for (unsigned i = 0; i < small; ++i)
    asm volatile("st.local.b32 [%0], %1;" ::"r"(begin + i * 4), "r"(begin + next_of(i) * 4) : "memory");
  *out = chase(begin, small, small_steps, [](unsigned at) {
    asm volatile("ld.local.b32 %0, [%0];" : "+r"(at)::"memory");
    return at;
  });
}

__global__ void chase_registers(float quarter, Chased* out) {
  *out = chase(7.0f, small, small_steps, [quarter](float at) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(at) : "f"(quarter));
    return at;
  });
}

/// Line i of n, a power of two, holds the address of line a i + c mod n: all lines form one cycle, in an
/// order that no prefetcher follows (Knuth, The Art of Computer Programming 2, theorem 3.2.1.2 A).
__global__ void link_lines(char* base, unsigned long long lines) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x;
       i < lines; i += step)
    *reinterpret_cast<char**>(base + i * line_bytes) =
        base + ((i * 1664525 + 1013904223) & (lines - 1)) * line_bytes;
}

/// Each thread's loads are a grid of threads apart, so that several are under way at once.
__global__ void load_strided(const float* data, unsigned stride, float* out) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x,
                    step = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0;
#pragma unroll
  for (int e = 0; e < loads_of_thread; ++e) sum += data[(i + e * step) * stride];
  if (sum == 1) *out = sum;  // never: the memory is zero
}

/// Each block copies its share through its shared memory, `stages` pieces of 16 bytes a thread under way.
template <int stages>
__global__ void keep_in_flight(const char* data, std::size_t bytes_of_block, float* out) {
  extern __shared__ __align__(16) char ring[];
  const std::size_t piece = std::size_t{16} * blockDim.x, pieces = bytes_of_block / piece;
  const char* from = data + blockIdx.x * bytes_of_block + std::size_t{16} * threadIdx.x;
  const auto own = static_cast<unsigned>(__cvta_generic_to_shared(ring)) + 16 * threadIdx.x;
  const auto start = [&](std::size_t i) {
    if (i < pieces)
      asm volatile(
          "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(own + static_cast<unsigned>(i % stages * piece)),
          "l"(__cvta_generic_to_global(from + i * piece)));
    asm volatile("cp.async.commit_group;");
  };
  for (int i = 0; i < stages; ++i) start(i);
  for (std::size_t i = 0; i < pieces; ++i) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory");
    start(i + stages);
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (ring[threadIdx.x] == 1) *out = 1;  // never
}

/// Blocks that stay as long as there is work.
__global__ void __launch_bounds__(threads, 8) load_resident(const float* data, std::size_t n, float* out) {
  float sum = 0;
  const std::size_t step = std::size_t{gridDim.x} * threads;
#pragma unroll 1
  for (std::size_t i = blockIdx.x * std::size_t{threads} + threadIdx.x; i < n; i += step) sum += data[i];
  if (sum == 1) *out = sum;  // never
}

class CudaMemoryProbes final : public MemoryProbes {
 public:
  explicit CudaMemoryProbes(int device)
      : executor_(make_cuda_executor(device)),
        memory_(executor_->allocate(buffer_bytes)),
        out_(executor_->allocate(sizeof(Chased))) {
    executor_->fill(*memory_, 0);
    TALLCACHE_CUDA(cudaDeviceGetAttribute(&max_threads_, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    TALLCACHE_CUDA(cudaDeviceGetAttribute(&max_shared_, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    TALLCACHE_CUDA(cudaDeviceGetAttribute(&l2_bytes_, cudaDevAttrL2CacheSize, device));
  }

  ProbeResult run(MemoryProbe what, std::size_t size) override {
    switch (what) {
      case MemoryProbe::registers:
        return small_memory([](Chased* to) { chase_registers<<<1, 1>>>(0.25f, to); });
      case MemoryProbe::constant:
        return small_memory([](Chased* to) { chase_constant<<<1, 1>>>(to); });
      case MemoryProbe::local:
        return small_memory([](Chased* to) { chase_local<<<1, 1>>>(to); });
      case MemoryProbe::shared:
        return small_memory([](Chased* to) { chase_shared<<<1, 1>>>(to); });
      case MemoryProbe::latency:
        return latency(size);
      case MemoryProbe::stride:
        return stride(size);
      case MemoryProbe::bytes_in_flight:
        return in_flight(size);
      case MemoryProbe::occupancy:
        return occupancy(size);
    }
    throw Error("no such probe");
  }

 private:
  template <class T>
  T* memory() const {
    return reinterpret_cast<T*>(memory_->bytes().data());
  }
  float* out() const { return reinterpret_cast<float*>(out_->bytes().data()); }

  /// The median of five runs behind one to warm up.
  template <class Start>
  double seconds(const Start& start) {
    std::vector<double> all;
    for (int round = 0; round < 6; ++round) {
      const double one = executor_->seconds(
          [](const void* erased, const Params&, const Launch& launch) {
            (*static_cast<const Start*>(erased))(stream_of(launch));
            check_launch();
          },
          &start, {}, {}, 1);
      if (round) all.push_back(one);
    }
    return median(std::move(all));
  }

  /// What start(to) left in `to`, which is the device's.
  template <class Start>
  Chased chased(const Start& start) const {
    start(reinterpret_cast<Chased*>(out()));
    check_launch();
    TALLCACHE_CUDA(cudaDeviceSynchronize());
    Chased result{};
    executor_->download(std::as_writable_bytes(std::span(&result, 1)), *out_);
    return result;
  }

  static ProbeResult of(const Chased& sum, std::size_t steps) {
    const auto loads = static_cast<double>(steps);
    return {.seconds = static_cast<double>(sum.nanoseconds) * 1e-9,
            .cycles = static_cast<double>(sum.cycles) / loads,
            .loads = loads,
            .bytes = 8 * loads};
  }

  template <class Start>
  ProbeResult small_memory(const Start& start) const {
    return of(chased(start), small_steps);
  }

  // A multiprocessor lies nearer to one half of the second-level cache, so that several take turns. Where the
  // cache holds all lines each of them visits all beforehand; where it nearly does, the first visits them, so
  // that what was there before does not count, and together they visit all once more: some lines stay and
  // some do not, and a part of the cycle would not tell how many.
  ProbeResult latency(std::size_t footprint) {
    const std::size_t lines = footprint / line_bytes;
    if (lines < 16 || (lines & (lines - 1)) || footprint > buffer_bytes)
      throw Error("a footprint of " + std::to_string(footprint) +
                  " bytes: a power of two from 2 KiB to 4 GiB");
    constexpr unsigned chasers = 8;
    constexpr std::size_t few = 4096;
    const auto l2_bytes = static_cast<std::size_t>(l2_bytes_);
    const bool nearly_held = footprint <= 3 * l2_bytes;
    const std::size_t steps = std::max<std::size_t>(1 << 13, nearly_held ? lines / chasers : 0);
    link_lines<<<1024, threads>>>(memory<char>(), lines);
    linked_ = true;
    const auto blocks = static_cast<unsigned>(multiprocessors());
    Chased sum{.last = reinterpret_cast<unsigned long long>(memory<char>())};
    for (unsigned i = 0; i < chasers; ++i) {
      const bool visits_all = footprint <= l2_bytes || (i == 0 && nearly_held);
      const Chased one = chased([&](Chased* to) {
        chase_global<<<blocks, 1>>>(sum.last, i * blocks / chasers, visits_all ? lines : few, steps, to);
      });
      sum = {sum.cycles + one.cycles, sum.nanoseconds + one.nanoseconds, one.last};
    }
    return of(sum, chasers * steps);
  }

  ProbeResult stride(std::size_t elements) {
    constexpr std::size_t loads = 1 << 25;
    if (elements < 1 || elements > buffer_bytes / sizeof(float) / loads)
      throw Error("a stride of " + std::to_string(elements) + " elements: 1 to 32");
    clear();
    const double time = seconds([&](cudaStream_t stream) {
      load_strided<<<loads / loads_of_thread / threads, threads, 0, stream>>>(
          memory<float>(), static_cast<unsigned>(elements), out());
    });
    return {.seconds = time, .loads = double{loads}, .bytes = double{loads} * sizeof(float)};
  }

  template <int stages>
  ProbeResult in_flight(unsigned threads_of_block) {
    const std::size_t shared = std::size_t{16} * threads_of_block * stages;
    allow_dynamic_shared(reinterpret_cast<const void*>(&keep_in_flight<stages>), shared);
    const auto blocks = static_cast<std::size_t>(multiprocessors());
    // The second gigabyte and the third, so that no run finds the last one's data in a cache.
    const std::size_t piece = std::size_t{16} * threads_of_block;
    const std::size_t share = buffer_bytes / 2 / blocks / piece * piece;
    clear();
    const double time = seconds([&](cudaStream_t stream) {
      keep_in_flight<stages>
          <<<static_cast<unsigned>(blocks), threads_of_block, shared, stream>>>(memory<char>(), share, out());
    });
    return {.seconds = time,
            .loads = static_cast<double>(share * blocks) / 16,
            .bytes = static_cast<double>(share * blocks),
            .blocks = 1,
            .threads_of_block = static_cast<int>(threads_of_block),
            .max_threads = max_threads_};
  }

  ProbeResult in_flight(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(max_shared_))
      throw Error(std::to_string(bytes) + " bytes in flight: a block has " + std::to_string(max_shared_) +
                  " bytes of shared memory");
    const auto of_stages = [&](int stages) { return static_cast<unsigned>(bytes / 16 / stages); };
    switch (bytes >> 10) {
      case 1:
      case 2:
      case 4:
      case 8:
        return in_flight<2>(of_stages(2));
      case 12:
        return in_flight<3>(of_stages(3));
      case 16:
        return in_flight<4>(of_stages(4));
      case 24:
        return in_flight<6>(of_stages(6));
      case 32:
        return in_flight<8>(of_stages(8));
      case 48:
        return in_flight<12>(of_stages(12));
      case 64:
        return in_flight<16>(of_stages(16));
      case 128:
        return in_flight<32>(of_stages(32));
      case 192:
        return in_flight<48>(of_stages(48));
      default:
        throw Error(std::to_string(bytes) +
                    " bytes in flight: 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128 or "
                    "192 KiB");
    }
  }

  ProbeResult occupancy(std::size_t shared) {
    if (shared > static_cast<std::size_t>(max_shared_))
      throw Error("a block of " + std::to_string(shared) +
                  " bytes of shared memory: " + std::to_string(max_shared_) + " at most");
    const auto* kernel = reinterpret_cast<const void*>(&load_resident);
    allow_dynamic_shared(kernel, shared);
    int blocks = 0;
    TALLCACHE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    constexpr std::size_t loads = buffer_bytes / sizeof(float);  // so many that the ends do not count
    clear();
    const double time = seconds([&](cudaStream_t stream) {
      load_resident<<<static_cast<unsigned>(blocks * multiprocessors()), threads, shared, stream>>>(
          memory<float>(), loads, out());
    });
    return {.seconds = time,
            .loads = double{loads},
            .bytes = double{loads} * sizeof(float),
            .blocks = blocks,
            .threads_of_block = threads,
            .max_threads = max_threads_};
  }

  // The bandwidths' kernels read zeros. Outside what is counted: the first run of a probe does it.
  void clear() {
    if (linked_) executor_->fill(*memory_, 0);
    linked_ = false;
  }

  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Memory> memory_, out_;
  int max_threads_ = 0, max_shared_ = 0, l2_bytes_ = 0;
  bool linked_ = false;
};

}  // namespace

std::unique_ptr<MemoryProbes> memory_probes(int device) { return std::make_unique<CudaMemoryProbes>(device); }

}  // namespace tallcache::gpu
