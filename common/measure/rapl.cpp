#include "common/measure/rapl.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

namespace tallcache {
namespace {

template <class T>
std::optional<T> read(const std::string& path) {
  std::ifstream file(path);
  T value{};
  return file >> value ? std::optional(std::move(value)) : std::nullopt;
}

}  // namespace

Rapl::Rapl(std::string root) {
  const std::string powercap = root + "/sys/class/powercap";
  std::error_code error;
  for (std::filesystem::directory_iterator at(powercap, error), end; !error && at != end;
       at.increment(error)) {
    const std::string folder = at->path().string();
    // AMD's processors have them under Intel's name, too. "core" and "uncore" are parts of a package, and
    // "psys" is the whole machine, packages included.
    if (!at->path().filename().string().starts_with("intel-rapl:")) continue;
    const std::string name = read<std::string>(folder + "/name").value_or("");
    if (!name.starts_with("package") && name != "dram") continue;
    if (const auto range = read<std::uint64_t>(folder + "/max_energy_range_uj"))
      zones_.push_back({folder, *range});
  }
  if (zones_.empty()) absent_ = "/sys/class/powercap tells no energy (RAPL)";
}

Figure<double> Rapl::joules() {
  for (Zone& zone : zones_) {
    const auto now = read<std::uint64_t>(zone.folder + "/energy_uj");
    if (!now) {
      absent_ = "RAPL's counters can be read by root alone";
      break;
    }
    const std::uint64_t more = *now >= zone.last ? *now - zone.last : zone.range - zone.last + *now;
    if (begun_) joules_ += static_cast<double>(more) * 1e-6;
    zone.last = *now;
  }
  begun_ = true;
  return absent_.empty() ? Figure<double>(joules_) : Figure<double>::none(absent_);
}

}  // namespace tallcache
