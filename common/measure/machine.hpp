// Machine: the facts without which a measurement is useless: what ran it, how it was built, and which
// counters there are. A fact that cannot be read has a reason instead of a value; it is never 0.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tallcache {

/// A figure, or the reason why there is none.
template <class T>
struct Figure {
  std::optional<T> value;
  std::string absent;  ///< the reason; empty when there is a value

  Figure() : absent("not read") {}
  Figure(T known) : value(std::move(known)) {}
  static Figure none(std::string reason) {
    Figure figure;
    figure.absent = std::move(reason);
    return figure;
  }
  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
  friend bool operator==(const Figure&, const Figure&) = default;
};

/// The caches of one level and type, all alike.
struct CpuCache {
  int level = 0;
  std::string type;          ///< "data", "instruction" or "unified"
  std::size_t bytes = 0;     ///< of one of them
  Figure<int> line_bytes;    ///< bytes of a line
  Figure<std::string> ways;  ///< "12", or "full"
  int cores = 0;             ///< how many cores share one
  int count = 0;             ///< how many there are
  friend bool operator==(const CpuCache&, const CpuCache&) = default;
};

/// A device of a backend, such as a GPU.
struct Device {
  std::string name, compute_capability;  ///< "NVIDIA H200", "9.0"
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::string unusable;  ///< why nothing of this build runs on it; empty when it can be used
  friend bool operator==(const Device&, const Device&) = default;
};

/// How this program was made.
struct Build {
  std::string version;
  std::string commit;         ///< 40 digits, "-dirty" behind when the tree's sources differ; or "unknown"
  std::string source_digest;  ///< of the paths and texts of all sources: equal for equal programs
  std::string compiler, type, flags, textbook_flags;
  std::string cuda_compiler, cuda_flags;  ///< with the architectures; empty without CUDA
  friend bool operator==(const Build&, const Build&) = default;
};

/// One event and whether it can be counted here.
struct CounterEvent {
  std::string name, what;
  std::string absent;  ///< why it cannot be counted; empty when it was counted once
  friend bool operator==(const CounterEvent&, const CounterEvent&) = default;
};

struct CounterComponent {
  std::string name, what;
  std::string disabled;  ///< PAPI's reason; empty when it is enabled
  friend bool operator==(const CounterComponent&, const CounterComponent&) = default;
};

/// What PAPI can count on this machine.
struct Counters {
  Figure<std::string> papi;         ///< its version
  Figure<int> hardware;             ///< hardware counters of a core
  Figure<int> perf_event_paranoid;  ///< the kernel's setting
  std::vector<CounterComponent> components;
  std::vector<CounterEvent> events;
  friend bool operator==(const Counters&, const Counters&) = default;
};

struct Machine {
  std::string cpu, architecture, system;
  Figure<int> sockets, cores, numa_nodes;
  int threads = 0;               ///< hardware threads that the system shows
  int usable_cores = 0;          ///< those that this process may run on: affinity and cgroup quota counted
  std::vector<CpuCache> caches;  ///< by level, data before instruction
  std::string caches_absent;     ///< why there are none
  Figure<std::size_t> memory_bytes, available_bytes;
  Figure<std::string> huge_pages;  ///< "always", "madvise" or "never"
  Figure<std::string> hypervisor;  ///< its name, "none" on bare metal
  std::string simd;                ///< the target that Highway dispatches to
  int simd_bytes = 0;              ///< of one vector
  Build build;
  std::vector<Device> gpus;
  std::string gpus_absent;  ///< why there are none
  std::string cuda;         ///< versions of the driver and of the runtime; empty in a build without CUDA
  /// Library and what it runs as; only `tallcache machine` fills it in.
  std::vector<std::pair<std::string, std::string>> peers;
  Counters counters;

  /// Bytes of all caches of the last level together, 0 when no cache is known.
  std::size_t last_level_bytes() const;
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// The facts of this machine that hwloc and the system know; takes a few milliseconds. The rest stays empty:
/// this_machine() (bench/measure/context.hpp) fills in the build, the counters, and what the backends know.
Machine describe_machine();

/// How this program was made (machine_build.cpp).
Build describe_build();

/// PAPI's state: initialises the library and counts each event once (machine_counters.cpp).
Counters describe_counters();

}  // namespace tallcache
