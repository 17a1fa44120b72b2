// Executor: runs variants. It owns memory, transfers, cache flushing, synchronisation and timing, so that
// kernels do none of these.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/variant.hpp"

namespace tallcache {

/// Memory of an executor, with guard bands before and behind it. Aligned to 4096 bytes.
class Memory {
 public:
  virtual ~Memory() = default;
  std::span<std::byte> bytes() const { return bytes_; }
  /// Whether both guard bands still hold what they were made with.
  virtual bool guards_intact() const = 0;

 protected:
  std::span<std::byte> bytes_;
};

/// Rows of bytes in the host's memory, each `pitch` bytes behind the one before.
struct HostRows {
  std::byte* data;
  std::size_t rows, row_bytes, pitch;
};

/// What a run of an entry starts on a device, captured once to be started again and again as one piece. It
/// goes before its executor.
class Graph {
 public:
  virtual ~Graph() = default;
  /// Starts it `times` times in a row and returns the seconds of all together; all of it has ended.
  virtual double seconds(int times) = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Whether variants here read and write the host's memory, so that nothing is transferred.
  virtual bool shares_host_memory() const = 0;

  /// Throws Error with what was asked and what is free when there is too little.
  virtual std::unique_ptr<Memory> allocate(std::size_t bytes, Pages pages = Pages::ordinary) = 0;
  /// Touches the host's memory of a problem's new buffers, which hold zeros, on the memory nodes whose
  /// processors will work on it. By default, and where there is one node, nothing happens.
  virtual void touch_first(const Operation&, const Shape&, std::span<std::byte* const> buffers);
  virtual void upload(Memory& to, std::span<const std::byte> from) = 0;
  virtual void download(std::span<std::byte> to, const Memory& from) = 0;
  virtual void fill(Memory& memory, unsigned char byte) = 0;

  /// Copies rows of the host's memory to consecutive bytes of this executor's, and back. download_rows()
  /// returns when everything that was started here has ended.
  virtual void upload_rows(std::byte* to, const HostRows& from);
  virtual void download_rows(const HostRows& to, const std::byte* from);

  /// Starts `entry` in launch.stream and, where there are streams, returns before it has ended.
  virtual void start(Entry entry, const void* args, const Params&, const Launch&);
  /// The stream of this executor; null where there are none.
  virtual void* stream() const { return nullptr; }

  /// Runs `entry` `times` times in a row and returns the seconds of all together; everything it started
  /// has ended.
  virtual double seconds(Entry entry, const void* args, const Params&, const Launch&, int times) = 0;

  /// What one run of `entry` starts, captured as one graph; none of it runs. It is for the memory that `args`
  /// names now. Throws Error (unsupported) with the reason when `entry` cannot be captured; the default has
  /// no graphs and always throws.
  virtual std::unique_ptr<Graph> capture(Entry entry, const void* args, const Params&, const Launch&);

  /// A range of this name on the timeline of a profiler begins and ends. Ranges nest. By default
  /// nothing happens.
  virtual void begin_range(const std::string& name);
  virtual void end_range();

  /// Evicts the caller's data from all caches.
  virtual void flush_caches() = 0;
};

/// A range of a profiler as long as this lives.
class ProfilerRange {
 public:
  ProfilerRange(Executor& executor, const std::string& name) : executor_(executor) {
    executor_.begin_range(name);
  }
  ~ProfilerRange() { executor_.end_range(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;

 private:
  Executor& executor_;
};

/// The executor of the backend of that name, on device number `device` of it. Throws Error with the reason
/// when there is none.
std::unique_ptr<Executor> make_executor(std::string_view backend, int device = 0);

}  // namespace tallcache
