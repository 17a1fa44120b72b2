// Runs the text of a kernel on the host, block by block and lane by lane, and counts the memory requests of
// its warps on a given machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "common/warp/fibre.hpp"
#include "common/warp/kernel.hpp"
#include "common/warp/views.hpp"

namespace tallcache::warp {

class HostDevice;

/// Of all launches of a device: the accesses of all threads, and those one after the other where nothing but
/// the text's own order delays a thread. Between two barriers of a warp its longest lane counts, between two
/// of a block its longest warp, of a launch its longest block, and launches follow each other.
struct WorkSpan {
  std::uint64_t work = 0, span = 0;
};

/// The thread context of the model: a thread of the running block.
class HostThread {
 public:
  HostThread(HostDevice& device, unsigned number);

  Dim thread() const;
  Dim block() const;
  Dim block_dim() const;
  Dim grid_dim() const;

  void sync() const;
  bool sync_and(bool vote) const { return sync_count(!vote) == 0; }
  bool sync_or(bool vote) const { return sync_count(vote) != 0; }
  unsigned sync_count(bool vote) const;
  void sync_warp() const { exchange(0u); }

  /// The value of `lane`; the thread's own when the block has no such lane.
  template <class T>
  T shuffle(T value, int lane) const;
  template <class T>
  T shuffle_down(T value, unsigned distance) const;
  unsigned ballot(bool value) const;
  /// The lanes whose value is the same.
  template <class T>
  unsigned match_any(T value) const;

  template <class T>
  T reduce_add(T value) const {
    return reduce(value, std::plus<T>());
  }
  template <class T>
  T reduce_min(T value) const {
    return reduce(value, [](T x, T y) { return std::min(x, y); });
  }
  template <class T>
  T reduce_max(T value) const {
    return reduce(value, [](T x, T y) { return std::max(x, y); });
  }
  unsigned reduce_or(unsigned value) const { return reduce(value, std::bit_or<unsigned>()); }

  template <class T>
  static OldValue<T> atomic_add(const Reference<T>& element, std::type_identity_t<T> value) {
    return element.atomic_add(value);
  }
  static int popcount(unsigned mask) { return std::popcount(mask); }
  static int first_set(unsigned mask) { return std::countr_zero(mask); }

  void commit_copies() const;
  template <class... Values>
  static void keep(Values&...) {}

  HostDevice& device() const { return *device_; }
  unsigned number() const { return number_; }

 private:
  /// Exchanges the thread's value with the warp's other lanes, which must all come here, and returns
  /// all values.
  template <class T>
  const std::uint64_t* exchange(T value) const;
  /// op over the values of the warp's lanes.
  template <class T, class Op>
  T reduce(T value, Op op) const;
  int lane() const { return lane_; }

  HostDevice* device_;
  unsigned number_;
  int lane_;
};

/// A device's memory and blocks on the host. It runs one kernel at a time and must not be shared by threads.
class HostDevice {
 public:
  explicit HostDevice(const cache::WarpMachine& machine);
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;

  /// The access policy of views of memory that begins at a multiple of 256 bytes, as a device's does.
  Counted access() { return {&recorder_, std::uint64_t{0} - origin_}; }
  /// The addresses of access() are those from `origin` on, so that counts do not depend on where a run's
  /// memory happens to lie.
  void count_from(const void* origin) { origin_ = reinterpret_cast<std::uintptr_t>(origin); }
  /// The access policy of a view whose memory begins anywhere. It is counted as beginning at a multiple of
  /// 256 bytes.
  Counted access(const void* begins) {
    const auto address = reinterpret_cast<std::uintptr_t>(begins);
    return {&recorder_, (address + 255) / 256 * 256 - address};
  }

  /// The kernels that follow make the requests that a compiler made of their texts. The table must outlive
  /// the device. Kernels that it lacks make those of the text.
  void use(const CompiledWidths& widths) { widths_ = &widths; }

  /// Runs kernel(t, args...) for each thread t. Throws Error on a shape that the machine does not have and on
  /// operations that no warp can do. Exceptions of the kernel pass through.
  template <class Kernel, class... Args>
  void launch(const LaunchShape& shape, const Kernel& kernel, const Args&... args) {
    auto body = [&](HostThread t) { kernel(t, args...); };
    if (widths_)
      recorder_.compiled_as(accesses_of(*widths_, compiled_name(typeid(std::tuple<Kernel, Args...>).name())));
    run(
        shape, [](void* text, HostThread t) { (*static_cast<decltype(body)*>(text))(t); }, &body);
  }

  Recorder& recorder() { return recorder_; }
  std::vector<SiteCounts> sites() const { return recorder_.sites(); }
  WorkSpan work_span() const { return {recorder_.accesses(), span_}; }
  /// All accesses of a kind to a space.
  cache::RequestCounts total(cache::Space space, cache::AccessKind kind) const;

  /// Shared array number n of the running block, of `bytes` bytes, and its address in shared memory. The
  /// array whose size the launch gives has number -1.
  std::pair<std::byte*, std::uint64_t> shared_array(int n, std::size_t bytes);
  /// Starts a copy of `bytes` bytes and zeros behind them up to `width` to `to` in shared memory.
  void copy_asynchronously(const HostThread& t, std::uint32_t to, const void* from, int bytes, int width);
  /// The thread's groups of copies arrive, but for the last `pending`.
  void wait_for_copies(const HostThread& t, unsigned pending);
  /// Sums of `value` over the threads of the block before this one, and over all.
  std::pair<std::uint32_t, std::uint32_t> exclusive_sum(const HostThread& t, std::uint32_t value);

 private:
  friend class HostThread;
  enum class State { ready, at_warp, at_block, finished };
  struct Lane {
    State state = State::ready;
    bool parity = false;  ///< which of two exchanges is next
  };
  struct Worker {
    HostDevice& device;
    unsigned number;
    Fibre fibre;
    Worker(HostDevice& on, unsigned thread, std::byte* stack)
        : device(on), number(thread), fibre(stack, &work, this) {}
  };
  /// The copies of a thread that have not arrived.
  struct Copies {
    struct Copy {
      unsigned group;
      std::uint32_t to;
      int width;
      std::array<std::byte, 16> bytes;
    };
    std::vector<Copy> pending;
    unsigned group = 0;  ///< which the next copy joins
  };
  struct SharedPiece {
    int n;
    std::size_t begin, bytes;
  };
  using Text = void (*)(void*, HostThread);

  void run(const LaunchShape& shape, Text text, void* body);
  void prepare(const LaunchShape& shape);
  std::uint64_t run_block();
  bool run_warp(unsigned first);
  std::uint64_t run_lanes(unsigned first, unsigned beyond);
  void wait(unsigned number, State at);
  static void work(void* worker);

  Recorder recorder_;
  const CompiledWidths* widths_ = nullptr;
  std::uint64_t origin_ = 0;
  std::unique_ptr<Stacks> stacks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Lane> lanes_;
  std::vector<Copies> copies_;
  std::vector<std::uint64_t> exchanged_[2];
  std::exception_ptr thrown_;
  std::uint64_t span_ = 0, section_ = 0;  ///< of the launches so far, and of a block since its last barrier
  Text text_ = nullptr;
  void* body_ = nullptr;
  Dim grid_, block_, block_index_;
  std::vector<Dim> positions_;  ///< of the threads in their block
  unsigned threads_ = 0;
  std::vector<std::byte> shared_;
  std::vector<SharedPiece> pieces_;
  std::size_t shared_used_ = 0;
  std::vector<std::uint32_t> sums_;
  std::uint32_t sum_ = 0;
  bool summed_ = false;
};

inline HostThread::HostThread(HostDevice& device, unsigned number)
    : device_(&device),
      number_(number),
      lane_(static_cast<int>(number) % device.recorder().machine().lanes) {}
inline Dim HostThread::thread() const { return device_->positions_[number_]; }
inline Dim HostThread::block() const { return device_->block_index_; }
inline Dim HostThread::block_dim() const { return device_->block_; }
inline Dim HostThread::grid_dim() const { return device_->grid_; }

/// The block's shared array number n. All begin at multiples of 16 bytes.
template <int n, class T, int = 16>
SharedArray<T> shared(const HostThread& t) {
  using Element = std::remove_reference_t<decltype(std::declval<T&>()[0])>;
  const auto [memory, address] = t.device().shared_array(n, sizeof(T));
  return {reinterpret_cast<Element*>(memory), &t.device().recorder(), address};
}
/// The array in shared memory whose size the launch gives.
template <class T>
SharedArray<T[]> dynamic_shared(const HostThread& t) {
  const auto [memory, address] = t.device().shared_array(-1, 0);
  return {reinterpret_cast<T*>(memory), &t.device().recorder(), address};
}

/// The address of an element of shared memory, as an asynchronous copy takes it.
template <class T>
std::uint32_t shared_address(const HostThread&, const Reference<T>& element) {
  return static_cast<std::uint32_t>(element.address());
}
/// Starts a copy of the first `bytes` bytes of an element to shared memory, and of zeros behind them. It
/// arrives when the thread has waited.
template <class T>
void copy_asynchronously(const HostThread& t, std::uint32_t to, const Reference<T>& from, int bytes) {
  t.device().copy_asynchronously(t, to, from.copied(to, bytes > 0), bytes, sizeof(T));
}
/// Waits for this thread's groups of copies, but for the last `pending`.
template <int pending>
void wait_for_copies(const HostThread& t) {
  t.device().wait_for_copies(t, pending);
}

/// Sums over the threads of the block: over those before this one, and over all. All threads must call it.
/// Its accesses, a word of shared memory for each warp (gpu/block_sum.cuh), are not counted.
template <int threads>
auto exclusive_sum(const HostThread& t, std::uint32_t value) {
  return t.device().exclusive_sum(t, value);
}

// The counterparts of gpu/launch.cuh and gpu/scan.hpp for a CUDA stream.

/// Runs a kernel on the model.
template <class Kernel, class... Args>
void launch_kernel(HostDevice& device, const Kernel& kernel, const LaunchShape& shape, const Args&... args) {
  device.launch(shape, kernel, args...);
}
/// The same of a kernel that a device may start before the one before it has ended (kernel.hpp): behind it.
template <class Kernel, class... Args>
void launch_early(HostDevice& device, const Kernel& kernel, const LaunchShape& shape, const Args&... args) {
  device.launch(shape, kernel, args...);
}
/// Nothing: it has ended.
inline void wait_for_last_kernel(const HostThread&) {}
/// Nothing: the next one starts when this one has ended.
inline void let_next_kernel_start(const HostThread&) {}

/// v = 0. Its accesses are not counted, nor are those of the two below: on a device they are a library's.
template <class T>
void set_zero(HostDevice&, VectorView<T, Counted> v) {
  std::fill_n(v.data, v.size, T{});
}
/// to = from.
template <class T>
void copy_elements(HostDevice&, VectorView<T, Counted> to, VectorView<const T, Counted> from) {
  std::copy_n(from.data, from.size, to.data);
}
/// Each count becomes the sum of those before it.
template <class T>
void exclusive_scan(HostDevice&, VectorView<T, Counted> counts, VectorView<std::byte, Counted>) {
  std::exclusive_scan(counts.data, counts.data + counts.size, counts.data, T{});
}

template <class T>
const std::uint64_t* HostThread::exchange(T value) const {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  auto& own = device_->lanes_[number_];
  own.parity = !own.parity;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  // The next exchange uses the other array: lanes that continue write there while others still read here.
  auto& values = device_->exchanged_[own.parity];
  values[number_] = bits;
  device_->wait(number_, HostDevice::State::at_warp);
  return values.data() + (number_ - static_cast<unsigned>(lane()));
}

template <class T>
T HostThread::shuffle(T value, int lane_number) const {
  const std::uint64_t* values = exchange(value);
  if (number_ - lane() + lane_number < device_->threads_)
    std::memcpy(&value, values + lane_number, sizeof value);
  return value;
}

template <class T>
T HostThread::shuffle_down(T value, unsigned distance) const {
  const int source = lane() + static_cast<int>(distance);
  return shuffle(value, source < device_->recorder_.machine().lanes ? source : lane());
}

template <class T, class Op>
T HostThread::reduce(T value, Op op) const {
  static_assert(sizeof(T) == 4);
  const std::uint64_t* values = exchange(value);
  const unsigned own = static_cast<unsigned>(lane()), first = number_ - own;
  const auto lanes = static_cast<unsigned>(device_->recorder_.machine().lanes);
  for (unsigned i = 0; i < lanes && first + i < device_->threads_; ++i) {
    T other;
    std::memcpy(&other, values + i, sizeof other);
    if (i != own) value = op(value, other);
  }
  return value;
}

template <class T>
unsigned HostThread::match_any(T value) const {
  const std::uint64_t* values = exchange(value);
  unsigned same = 0;
  const unsigned first = number_ - static_cast<unsigned>(lane());
  for (unsigned i = 0; i < 32 && first + i < device_->threads_; ++i)
    same |= static_cast<unsigned>(values[i] == values[lane()]) << i;
  return same;
}

}  // namespace tallcache::warp
