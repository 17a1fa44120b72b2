// Backend: a kind of processor that variants run on, as one constant record. Each backend's folder defines
// its record in backend.cpp as <name>::backend. The build writes the list of those that are in
// (cmake/variants.cmake); nothing else joins common/ to a backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/measure/device_counts.hpp"
#include "common/measure/device_state.hpp"
#include "common/measure/executor.hpp"
#include "common/measure/machine.hpp"
#include "common/measure/machine_limits.hpp"
#include "common/measure/memory_probes.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// Where the host's side of a transfer lies: in pages that the device reads by itself, or in ordinary ones
/// that the driver copies first.
enum class HostPages { pinned, pageable };

struct TransferSeconds {
  double upload = 0, download = 0;
};

struct Backend {
  std::string_view name;   ///< "cpu", "gpu": a word of the command line and of results
  std::string_view title;  ///< "CPU", "GPU": the same in a sentence
  bool host;               ///< its variants run on the host's threads and in the host's memory

  /// Its variants, in the order of its list.
  std::vector<const Variant*> (*variants)();

  /// The executor of device number `device`. Throws Error with the reason when there is none.
  std::unique_ptr<Executor> (*make_executor)(int device);

  /// The devices that this machine has, usable or not; none for a host backend, whose processors are the
  /// machine's. Throws nothing.
  std::vector<Device> (*devices)();

  /// What is wrong with device number `device` that was asked for; empty when it can be used, and for device
  /// 0 of a machine that has none, which is no fault.
  std::string (*device_fault)(int device);

  /// Versions of its driver and run-time library, and why no device is counted if none is; or empty.
  std::string (*versions)();

  /// The state of device number `device` at this moment, or why it is not known. Null where no device tells
  /// one. Throws nothing.
  Figure<DeviceState> (*state)(int device);

  /// What the counters of device number `device` count of a run: those of `quantities`, and what is counted
  /// together with them; all where it is empty. Null where a device has none. Throws what the run throws.
  std::vector<DeviceCount> (*count)(int device, const CountedRun& counted,
                                    std::span<const std::string_view> quantities);

  /// The memory of device number `device`, to be measured. Throws Error with the reason when it cannot be
  /// used. Null for a host backend.
  std::unique_ptr<MemoryProbes> (*memory_probes)(int device);

  /// Measures what device number `device` can reach. Throws Error with the reason when it cannot be used.
  Limits (*limits)(int device, const LimitsProtocol&, const LimitsProgress&);

  /// Seconds to copy `upload` bytes to the device and `download` bytes back, each a median, started and
  /// awaited from the host. Throws Error when there is too little memory on either side. Null for a
  /// host backend.
  TransferSeconds (*transfer_seconds)(std::size_t upload, std::size_t download, HostPages, int device);

  /// A number of a stream of device number `device` that no other stream has as long as the program runs,
  /// unlike its address. Throws Error. Null where there are no streams.
  std::uint64_t (*stream_id)(int device, void* stream) = nullptr;

  /// Joules that device number `device` has taken since some moment, whoever used it, or why they are not
  /// known. Null where nothing tells them. Throws nothing.
  Figure<double> (*joules)(int device) = nullptr;
  /// Where they come from: "RAPL".
  std::string_view energy_counter{};
};

/// The backends of this build, the host's first.
std::span<const Backend* const> backends();

/// Throws Error when this build has none of that name.
const Backend& find_backend(std::string_view name);

/// Whether `variant` runs on the host's threads and in the host's memory.
bool on_host(const Variant& variant);

}  // namespace tallcache
