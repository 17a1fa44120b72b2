#include "bench/show/machine_report.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "common/measure/executor.hpp"
#include "common/measure/host_memory.hpp"

namespace tallcache {
namespace {

using Out = std::back_insert_iterator<std::string>;

void line(Out out, std::string_view label, std::string_view text) {
  fmt::format_to(out, "{:<12}{}\n", label, text);
}

template <class T>
std::string shown(const Figure<T>& figure) {
  return figure ? fmt::format("{}", *figure) : "unknown (" + figure.absent + ")";
}

std::string shown(const Figure<std::size_t>& bytes) {
  return bytes ? human_bytes(static_cast<double>(*bytes)) : "unknown (" + bytes.absent + ")";
}

/// "2 cores"; "cores unknown (why)"
std::string counted(const Figure<int>& number, std::string_view what) {
  if (!number) return fmt::format("{}s unknown ({})", what, number.absent);
  return fmt::format("{} {}{}", *number, what, *number == 1 ? "" : "s");
}

/// Cache sizes are small multiples of powers of two: 48 KiB, 105 MiB.
std::string cache_bytes(std::size_t bytes) {
  return bytes % (1 << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                                : fmt::format("{:.4g} KiB", static_cast<double>(bytes) / 1024);
}

/// The caches from the outermost inwards, each level indented further.
void caches(Out out, const Machine& machine) {
  if (!machine.caches_absent.empty()) line(out, "Caches", "unknown: " + machine.caches_absent);
  std::string_view label = "Caches";
  for (auto cache = machine.caches.rbegin(); cache != machine.caches.rend(); ++cache) {
    const int depth = machine.caches.back().level - cache->level;
    line(out, std::exchange(label, ""),
         fmt::format("{:{}}L{} {:<12}{:>{}}{:>9} x {:<4}line {}, ways {}, one for {}", "", 2 * depth,
                     cache->level, cache->type, "", 2 * (machine.caches.back().level - 1 - depth),
                     cache_bytes(cache->bytes), cache->count, shown(cache->line_bytes), shown(cache->ways),
                     counted(cache->cores, "core")));
  }
}

void counters(Out out, const Counters& counters) {
  line(out, "PAPI", counters.papi ? *counters.papi : "unavailable: " + counters.papi.absent);
  line(out, "Counters",
       counters.hardware ? fmt::format("{} of each core", *counters.hardware)
                         : "none: " + counters.hardware.absent);
  line(out, "", "perf_event_paranoid " + shown(counters.perf_event_paranoid));
  for (const CounterEvent& event : counters.events)
    line(out, "",
         fmt::format("{:<14}{:<28}{}", event.name, event.what,
                     event.absent.empty() ? "available" : "unavailable: " + event.absent));
  std::string_view label = "Components";
  for (const CounterComponent& component : counters.components)
    line(out, std::exchange(label, ""),
         fmt::format("{:<20}{}", component.name,
                     component.disabled.empty() ? "enabled" : "disabled: " + component.disabled));
}

std::string spread(const Rated& rate) {
  return fmt::format("{:>9.1f}  {:>4.1f} %{:>10.1f}", rate.median, 100 * rate.mad / rate.median, rate.best);
}

std::string cores(int threads) { return threads == 1 ? "1 core" : fmt::format("{} cores", threads); }

}  // namespace

std::string report(const Machine& machine) {
  std::string text;
  const Out out(text);
  line(out, "CPU", fmt::format("{} ({})", machine.cpu, machine.architecture));
  line(out, "System", fmt::format("{}; hypervisor: {}", machine.system, shown(machine.hypervisor)));
  line(out, "Topology",
       fmt::format("{}, {}, {}, {}; {} usable here", counted(machine.sockets, "socket"),
                   counted(machine.numa_nodes, "memory node"), counted(machine.cores, "core"),
                   counted(machine.threads, "thread"), counted(machine.usable_cores, "core")));
  caches(out, machine);
  line(out, "Memory",
       fmt::format("{}, {} available; transparent huge pages: {}", shown(machine.memory_bytes),
                   shown(machine.available_bytes), shown(machine.huge_pages)));
  line(out, "SIMD", fmt::format("{} (Highway), {}-byte vectors", machine.simd, machine.simd_bytes));
  if (machine.gpus.empty()) line(out, "GPU", "none: " + machine.gpus_absent);
  for (const Device& gpu : machine.gpus)
    line(out, "GPU",
         fmt::format("{} (compute capability {}, {} multiprocessors, {}){}", gpu.name, gpu.compute_capability,
                     gpu.multiprocessors, human_bytes(static_cast<double>(gpu.memory_bytes)),
                     gpu.unusable.empty() ? "" : ", unusable: " + gpu.unusable));
  if (!machine.gpus.empty()) line(out, "CUDA", machine.cuda);
  for (const auto& [library, core] : machine.peers)
    line(out, "Peer", fmt::format("{} runs as {}", library, core));
  const Build& build = machine.build;
  line(out, "Build",
       fmt::format("tallcache {}, commit {}, {}, {}", build.version, build.commit, build.compiler,
                   build.type));
  line(out, "Flags", build.flags);
  line(out, "", "textbook variants: " + build.textbook_flags);
  counters(out, machine.counters);
  return text;
}

std::string report(const Limits& limits) {
  std::string text;
  const Out out(text);
  line(out, "Clock",
       limits.clock_ghz
           ? fmt::format("{:.2f} GHz, measured with a chain of additions, best round", *limits.clock_ghz)
           : "unknown: " + limits.clock_ghz.absent);

  fmt::format_to(out, "\nMultiply-adds{}, GFLOP/s\n{:<34}{:>9}  {:>6}{:>10}{:>14}\n",
                 limits.fused ? "" : " (a multiplication and an addition: this target has no fused ones)", "",
                 "median", "MAD", "best", "per cycle");
  for (const FlopPeak& peak : limits.peaks) {
    const Figure<double> rate = limits.instructions_per_cycle(peak);
    fmt::format_to(out, "{:<34}{}{:>14}\n", fmt::format("{}, {}", peak.element, cores(peak.threads)),
                   spread(peak.gflop_per_s),
                   rate ? fmt::format("{:.2f} x {}", *rate, peak.lanes) : "clock unknown");
  }
  fmt::format_to(out,
                 "per cycle: multiply-add instructions a core ends x lanes of a vector; by the clock of "
                 "scalar code,\nwhich many cores lower for their widest vectors\n");

  if (!limits.bandwidths.empty() || !limits.bandwidths_absent.empty())
    fmt::format_to(out, "\nMain memory, GB/s read plus written\n{:<34}{:>9}  {:>6}{:>10}{:>14}\n", "",
                   "median", "MAD", "best", "arrays");
  if (!limits.bandwidths_absent.empty()) fmt::format_to(out, "not measured: {}\n", limits.bandwidths_absent);
  for (const Bandwidth& bandwidth : limits.bandwidths)
    fmt::format_to(out, "{:<34}{}{:>14}\n", fmt::format("{}, {}", bandwidth.kernel, cores(bandwidth.threads)),
                   spread(bandwidth.gb_per_s), human_bytes(static_cast<double>(bandwidth.bytes)));

  const std::vector<Balance> ratios = balances(limits);
  if (!ratios.empty())
    fmt::format_to(out, "\nBalance: flops in the time of moving\n{:<34}{:>9}{:>18}{:>14}\n", "", "a byte",
                   "a word", "GB/s");
  for (const Balance& ratio : ratios)
    fmt::format_to(out, "{:<34}{:>9.1f}{:>18.1f}{:>14.1f}\n",
                   fmt::format("{}, {}", ratio.element, cores(ratio.threads)), ratio.flops_per_byte,
                   ratio.flops_per_word, ratio.gb_per_s);
  return text;
}

}  // namespace tallcache
