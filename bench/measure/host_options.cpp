#include "bench/measure/host_options.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwy/targets.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalogue.hpp"
#include "common/error.hpp"
#include "common/fork/processors.hpp"

namespace tallcache {
namespace {

/// "0-3,8", as taskset and hwloc write it.
void hold_to_processors(const std::string& list) {
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> asked(hwloc_bitmap_alloc(),
                                                                            hwloc_bitmap_free);
  const bool written = list.find_first_not_of("0123456789,-") == std::string::npos;
  if (!written || hwloc_bitmap_list_sscanf(asked.get(), list.c_str()) != 0 ||
      hwloc_bitmap_weight(asked.get()) < 1)
    throw Error(fmt::format("--processors: '{}' is no list of processors such as 0-3,8", list));
  const ProcessorSet usable = usable_processors();
  ProcessorSet chosen;
  for (int i = 0; i < usable.count(); ++i)
    if (hwloc_bitmap_isset(asked.get(), static_cast<unsigned>(usable.at(i)))) chosen.add(usable.at(i));
  if (chosen.count() != hwloc_bitmap_weight(asked.get()))
    throw Error(fmt::format("--processors: {} are not all among those that this process may use", list));
  if (!restrict_to(chosen)) throw Error("--processors: the system does not let this process choose");
}

void use_target(const std::string& name) {
  std::vector<std::string_view> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) {
      hwy::DisableTargets(target - 1);  // a better target is a lower bit
      return;
    }
    names.push_back(hwy::TargetName(target));
  }
  throw Error("--simd: " + unknown_name("target of this processor", name, names));
}

}  // namespace

void add_host(CLI::App& command) {
  command.add_option_function<std::string>(
      "--processors", hold_to_processors,
      "The processors to run on, such as 0-3,8; a pinned thread takes the next one of them");
  command.add_option_function<std::string>(
      "--simd", use_target,
      "The best target of the suite's own vector code, such as AVX2; libraries keep theirs");
}

}  // namespace tallcache
