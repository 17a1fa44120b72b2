// The energy that the host's processors take, as RAPL counts it and Linux tells it (powercap).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/measure/machine.hpp"

namespace tallcache {

/// Reads the counters of all packages and of the memory behind them: everything that runs there is counted,
/// and so is what an idle processor takes.
class Rapl {
 public:
  /// `root`: the folder below which sys/class/powercap is read.
  explicit Rapl(std::string root = "");

  /// Joules since the first call; absent with the reason where no counter can be read. A counter is renewed
  /// about every millisecond. It begins anew after some minutes at full power, and must be read in that time.
  Figure<double> joules();

 private:
  struct Zone {
    std::string folder;
    std::uint64_t range = 0, last = 0;  // microjoules
  };
  std::vector<Zone> zones_;
  std::string absent_;
  double joules_ = 0;
  bool begun_ = false;
};

}  // namespace tallcache
