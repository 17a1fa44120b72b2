#include "gpu/cuda_executor.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

#include "common/measure/harness.hpp"
#include "common/measure/host_memory.hpp"
#include "gpu/check.hpp"
#include "gpu/cuda_graph.hpp"
#include "gpu/cuda_state.hpp"
#include "gpu/profiler_range.hpp"

namespace tallcache {
namespace {

constexpr std::size_t guard = 4096;
constexpr unsigned char guard_byte = 0xc3;

void* device_bytes(std::size_t bytes) {
  void* base = nullptr;
  const cudaError_t error = cudaMalloc(&base, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    TALLCACHE_CUDA(cudaMemGetInfo(&free, &total));
    throw Error(
        fmt::format("out of GPU memory: {} asked, {} of {} are free", human_bytes(static_cast<double>(bytes)),
                    human_bytes(static_cast<double>(free)), human_bytes(static_cast<double>(total))),
        Status::too_large);
  }
  TALLCACHE_CUDA(error);
  return base;
}

class Stream {
 public:
  Stream() { TALLCACHE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { TALLCACHE_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { TALLCACHE_CUDA(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) const { TALLCACHE_CUDA(cudaEventRecord(event_, stream)); }
  /// Waits for this event.
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    TALLCACHE_CUDA(cudaEventSynchronize(event_));
    TALLCACHE_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class DeviceMemory final : public Memory {
 public:
  DeviceMemory(std::size_t size, int device, const Stream& stream) : device_(device) {
    // As on the host, the data starts on a page and ends right before the rear guard, whatever its size.
    const std::size_t guarded = checked_sum(size, 2 * guard + guard, "memory") / guard * guard;
    allocated_ = device_bytes(checked_sum(guarded, guard, "memory"));
    base_ = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(allocated_) + guard - 1) / guard *
                                         guard);
    bytes_ = {base_ + guard, size};
    rear_ = guarded - guard - size;
    TALLCACHE_CUDA(cudaMemsetAsync(base_, guard_byte, guard, stream));
    TALLCACHE_CUDA(cudaMemsetAsync(base_ + guard + size, guard_byte, rear_, stream));
    stream.wait();
  }
  ~DeviceMemory() override { cudaFree(allocated_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  bool guards_intact() const override {
    TALLCACHE_CUDA(cudaSetDevice(device_));
    return intact(base_, guard) && intact(base_ + guard + bytes_.size(), rear_);
  }

 private:
  static bool intact(const std::byte* band, std::size_t size) {
    std::vector<unsigned char> bytes(size);
    TALLCACHE_CUDA(cudaMemcpy(bytes.data(), band, size, cudaMemcpyDeviceToHost));
    return std::ranges::all_of(bytes, [](unsigned char b) { return b == guard_byte; });
  }

  int device_;
  void* allocated_;
  std::byte* base_;
  std::size_t rear_;
};

/// Device memory without guards, for flushes and transfers.
class RawMemory {
 public:
  explicit RawMemory(std::size_t size) : data_(device_bytes(std::max<std::size_t>(size, 1))), size_(size) {}
  ~RawMemory() { cudaFree(data_); }
  RawMemory(const RawMemory&) = delete;
  RawMemory& operator=(const RawMemory&) = delete;
  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* data_;
  std::size_t size_;
};

class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t size) {
    require_memory(size, "a pinned buffer");
    TALLCACHE_CUDA(cudaMallocHost(&data_, std::max<std::size_t>(size, 1)));
    std::memset(data_, 0, size);
  }
  ~PinnedMemory() { cudaFreeHost(data_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// Must precede any stream or event, which belong to the current device.
int chosen(int device) {
  if (const std::string reason = device_unavailable(device); !reason.empty())
    throw Error("the GPU cannot be used: " + reason, Status::unavailable);
  TALLCACHE_CUDA(cudaSetDevice(device));
  return device;
}

class CudaExecutor final : public Executor {
 public:
  explicit CudaExecutor(int device) : device_(chosen(device)) {}
  ~CudaExecutor() override { cudaSetDevice(device_); }

  bool shares_host_memory() const override { return false; }

  std::unique_ptr<Memory> allocate(std::size_t bytes, Pages) override {
    use();
    return std::make_unique<DeviceMemory>(bytes, device_, stream_);
  }
  void upload(Memory& to, std::span<const std::byte> from) override {
    use();
    TALLCACHE_CUDA(
        cudaMemcpyAsync(to.bytes().data(), from.data(), from.size(), cudaMemcpyHostToDevice, stream_));
    stream_.wait();
  }
  void download(std::span<std::byte> to, const Memory& from) override {
    use();
    TALLCACHE_CUDA(
        cudaMemcpyAsync(to.data(), from.bytes().data(), to.size(), cudaMemcpyDeviceToHost, stream_));
    stream_.wait();
  }
  void fill(Memory& memory, unsigned char byte) override {
    use();
    TALLCACHE_CUDA(cudaMemsetAsync(memory.bytes().data(), byte, memory.bytes().size(), stream_));
    stream_.wait();
  }
  void upload_rows(std::byte* to, const HostRows& from) override {
    if (from.rows == 0 || from.row_bytes == 0) return;
    use();
    TALLCACHE_CUDA(cudaMemcpy2DAsync(to, from.row_bytes, from.data, from.pitch, from.row_bytes, from.rows,
                                     cudaMemcpyHostToDevice, stream_));
  }
  void download_rows(const HostRows& to, const std::byte* from) override {
    use();
    if (to.rows > 0 && to.row_bytes > 0)
      TALLCACHE_CUDA(cudaMemcpy2DAsync(to.data, to.pitch, from, to.row_bytes, to.row_bytes, to.rows,
                                       cudaMemcpyDeviceToHost, stream_));
    stream_.wait();
  }
  void start(Entry entry, const void* args, const Params& params, const Launch& launch) override {
    use();
    entry(args, params, launch);
  }
  void* stream() const override { return static_cast<cudaStream_t>(stream_); }
  double seconds(Entry entry, const void* args, const Params& params, const Launch& launch,
                 int times) override {
    use();
    Launch here = launch;
    here.stream = static_cast<cudaStream_t>(stream_);
    return seconds_of(times, [&] { entry(args, params, here); });
  }
  std::unique_ptr<Graph> capture(Entry entry, const void* args, const Params& params,
                                 const Launch& launch) override {
    use();
    Launch here = launch;
    here.stream = static_cast<cudaStream_t>(stream_);
    return std::make_unique<TimedGraph>(*this, [&] { entry(args, params, here); });
  }
  void begin_range(const std::string& name) override { gpu::begin_range(name.c_str()); }
  void end_range() override { gpu::end_range(); }
  void flush_caches() override {
    use();
    // Writes twice the size of the second-level cache in the stream. The events of the next run come
    // after it.
    if (!flush_) {
      int bytes = 0;
      TALLCACHE_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device_));
      flush_ = std::make_unique<RawMemory>(2 * static_cast<std::size_t>(bytes));
    }
    TALLCACHE_CUDA(cudaMemsetAsync(flush_->data(), 0, flush_->size(), stream_));
  }

 private:
  class TimedGraph final : public Graph {
   public:
    TimedGraph(CudaExecutor& executor, const std::function<void()>& start)
        : executor_(executor), graph_(executor.stream_, start) {}
    double seconds(int times) override {
      executor_.use();
      return executor_.seconds_of(times, [&] { graph_.launch(executor_.stream_); });
    }

   private:
    CudaExecutor& executor_;
    gpu::CudaGraph graph_;
  };

  // The current device belongs to the calling thread, and another executor may have changed it.
  void use() const { TALLCACHE_CUDA(cudaSetDevice(device_)); }

  template <class Start>
  double seconds_of(int times, Start&& start) {
    start_.record(stream_);
    for (int i = 0; i < times; ++i) start();
    stop_.record(stream_);
    return stop_.seconds_since(start_);
  }

  int device_;
  Stream stream_;
  Event start_, stop_;
  std::unique_ptr<RawMemory> flush_;
};

double copy_seconds(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, const Stream& stream,
                    int rounds) {
  if (bytes == 0) return 0;
  std::vector<double> seconds;
  for (int round = 0; round <= rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    TALLCACHE_CUDA(cudaMemcpyAsync(to, from, bytes, kind, stream));
    stream.wait();
    // The first transfer creates the pages and wakes the link.
    if (round)
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return median(std::move(seconds));
}

}  // namespace

std::unique_ptr<Executor> make_cuda_executor(int device) { return std::make_unique<CudaExecutor>(device); }

std::uint64_t cuda_stream_id(int device, void* stream) {
#if CUDART_VERSION >= 12000
  chosen(device);
  unsigned long long id = 0;
  TALLCACHE_CUDA(cudaStreamGetId(static_cast<cudaStream_t>(stream), &id));
  return id;
#else  // which has no such number
  static_cast<void>(device);
  return reinterpret_cast<std::uintptr_t>(stream);
#endif
}

TransferSeconds transfer_seconds(std::size_t upload, std::size_t download, HostPages pages, int device,
                                 int rounds) {
  chosen(device);
  const Stream stream;
  const std::size_t larger = std::max(upload, download);
  const RawMemory memory(larger);
  std::unique_ptr<PinnedMemory> pinned;
  std::vector<std::byte> pageable;
  void* host = nullptr;
  if (pages == HostPages::pinned) {
    pinned = std::make_unique<PinnedMemory>(larger);
    host = pinned->data();
  } else {
    require_memory(larger, "a host buffer");
    pageable.resize(larger);
    host = pageable.data();
  }
  return {.upload = copy_seconds(memory.data(), host, upload, cudaMemcpyHostToDevice, stream, rounds),
          .download = copy_seconds(host, memory.data(), download, cudaMemcpyDeviceToHost, stream, rounds)};
}

}  // namespace tallcache
