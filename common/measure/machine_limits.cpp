#include "common/measure/machine_limits.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>

#include "common/error.hpp"
#include "common/measure/bfloat16_unit.hpp"
#include "common/measure/executor.hpp"
#include "common/measure/harness.hpp"
#include "common/measure/host_memory.hpp"
#include "common/measure/machine_kernels.hpp"
#include "common/measure/machine_topology.hpp"

namespace tallcache {
namespace {

Rated rated(const std::vector<double>& rates) {
  return {median(rates), median_absolute_deviation(rates), *std::max_element(rates.begin(), rates.end()),
          static_cast<int>(rates.size())};
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Counts rounds as the protocol says.
class Rounds {
 public:
  explicit Rounds(const LimitsProtocol& protocol) : protocol_(protocol) {}
  bool next() {
    const int done = done_++;
    return done < protocol_.min_rounds || (done < protocol_.max_rounds && since(start_) < protocol_.seconds);
  }

 private:
  const LimitsProtocol& protocol_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int done_ = 0;
};

/// The teams that are measured: one core, and all of them.
std::vector<int> teams(const Topology& topology) {
  const int all = static_cast<int>(topology.cores().size());
  return all == 1 ? std::vector{1} : std::vector{1, all};
}

template <class T>
int lanes_of(const SimdTarget& simd) {
  return sizeof(T) == sizeof(float) ? simd.floats : simd.doubles;
}

/// x <- x / 2 + 1 goes to 2 from everywhere, exactly, so that the result of any number of iterations
/// is known.
template <class T>
void multiply_add(std::uint64_t iterations, const SimdTarget& simd) {
  const T sum = multiply_add_chains(iterations, T{0.5}, T{1});
  const T expected = static_cast<T>(2 * simd.chains) * static_cast<T>(lanes_of<T>(simd));
  if (!(sum == expected))
    throw Error(fmt::format("multiply-adds on {} are wrong: expected {}, got {}", simd.name, expected, sum));
}

/// The iterations of `run` that take `seconds`; by the fastest of three runs, as a disturbed one would make
/// them too few.
template <class Run>
std::uint64_t iterations_for(double seconds, Run run) {
  for (std::uint64_t iterations = 1 << 14;; iterations *= 2) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run(iterations);
      fastest = std::min(fastest, since(start));
    }
    if (fastest > 1e-3)
      return std::max<std::uint64_t>(
          100, static_cast<std::uint64_t>(static_cast<double>(iterations) * seconds / fastest));
  }
}

struct PeakRun {
  FlopPeak peak;
  double flops = 0;
  std::function<void(int)> body;
  std::vector<double> rates;
};

/// `lanes`: multiply-adds of an instruction, of which an iteration has one for each chain.
template <class Run>
PeakRun peak_run(std::string_view element, int threads, double seconds, int chains, int lanes, Run run) {
  const std::uint64_t iterations = iterations_for(seconds, run);
  return {{std::string(element), threads, lanes, {}},
          2.0 * threads * static_cast<double>(iterations) * chains * lanes,
          [iterations, run](int) { run(iterations); },
          {}};
}

template <class T>
PeakRun peak_run(int threads, double seconds, const SimdTarget& simd) {
  return peak_run(Element<T>::name, threads, seconds, simd.chains, lanes_of<T>(simd),
                  [simd](std::uint64_t iterations) { multiply_add<T>(iterations, simd); });
}

PeakRun peak_run(int threads, double seconds, const Bfloat16Unit& unit) {
  return peak_run(
      Element<Bfloat16>::name, threads, seconds, unit.chains, unit.multiply_adds,
      [&unit](std::uint64_t iterations) {
        const double expected = static_cast<double>(iterations) * unit.chains * unit.multiply_adds;
        if (const double sum = unit.run(iterations); !(sum == expected))
          throw Error(fmt::format("multiply-adds of bfloat16 are wrong: expected {}, got {}", expected, sum));
      });
}

void measure_peaks(Limits& limits, const Topology& topology, const LimitsProtocol& protocol,
                   const LimitsProgress& progress) {
  if (!progress("multiply-adds")) return;
  const SimdTarget simd = simd_target();
  limits.fused = simd.fused;
  std::vector<PeakRun> runs;
  for (const int threads : teams(topology)) {
    runs.push_back(peak_run<float>(threads, protocol.flop_seconds, simd));
    runs.push_back(peak_run<double>(threads, protocol.flop_seconds, simd));
    if (const Bfloat16Unit* const unit = bfloat16_unit())
      runs.push_back(peak_run(threads, protocol.flop_seconds, *unit));
  }
  constexpr std::uint64_t steps = 3'200'000;  // a millisecond: mostly within one time slice
  std::vector<double> clocks;
  for (Rounds rounds(protocol); rounds.next();) {
    for (int run = 0; run < 3; ++run) {
      bool known = false;
      const double seconds = topology.run_pinned(1, [&](int) { known = chain_of_additions(steps); });
      if (known) clocks.push_back(static_cast<double>(steps) / seconds * 1e-9);
    }
    for (PeakRun& run : runs)
      run.rates.push_back(run.flops / topology.run_pinned(run.peak.threads, run.body) * 1e-9);
  }
  limits.clock_ghz = clocks.empty()
                         ? Figure<double>::none("no chain of additions for this architecture to time")
                         : Figure<double>(*std::max_element(clocks.begin(), clocks.end()));
  for (PeakRun& run : runs) {
    run.peak.gflop_per_s = rated(run.rates);
    limits.peaks.push_back(std::move(run.peak));
  }
}

/// Two arrays of words beyond the caches, a piece of each for every thread, first touched by that thread so
/// that it lies in its memory. Huge pages are asked for: the limit is memory's, not the page walker's.
class Arrays {
 public:
  Arrays(const Topology& topology, int threads, std::size_t footprint)
      : topology_(topology),
        threads_(threads),
        words_(footprint / 2 / sizeof(std::uint64_t) / threads / 512 * 512) {
    bytes_ = 2 * words_ * static_cast<std::size_t>(threads) * sizeof(std::uint64_t);
    require_memory(bytes_, "the bandwidth measurement");
    void* base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
      throw Error("out of memory: " + human_bytes(static_cast<double>(bytes_)) + " asked");
    base_ = static_cast<std::uint64_t*>(base);
    madvise(base, bytes_, MADV_HUGEPAGE);  // only advice: a kernel without huge pages refuses
    sums_.resize(threads);
    topology.run_pinned(threads, [&](int i) {
      std::uint64_t sum = 0;
      for (std::size_t w = 0; w < words_; ++w) sum += from(i)[w] = (w + i + 1) * 0x9e3779b97f4a7c15;
      sums_[i] = sum;
      clear(i);
    });
  }
  ~Arrays() { munmap(base_, bytes_); }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  std::size_t bytes() const { return bytes_; }

  double copy() {
    return topology_.run_pinned(threads_,
                                [&](int i) { std::memcpy(to(i), from(i), words_ * sizeof(*base_)); });
  }
  double stream() {
    return topology_.run_pinned(threads_, [&](int i) { stream_words(to(i), from(i), words_); });
  }
  /// Reads both arrays, which must be equal.
  double read() {
    return topology_.run_pinned(threads_, [&](int i) {
      if (sum_words(from(i), 2 * words_) != 2 * sums_[i])
        throw Error("the bandwidth measurement read or copied wrong words");
    });
  }
  void clear() {
    topology_.run_pinned(threads_, [&](int i) { clear(i); });
  }

 private:
  std::uint64_t* from(int i) const { return base_ + 2 * words_ * static_cast<std::size_t>(i); }
  std::uint64_t* to(int i) const { return from(i) + words_; }
  void clear(int i) { std::memset(to(i), 0, words_ * sizeof(*base_)); }

  const Topology& topology_;
  int threads_;
  std::size_t words_, bytes_ = 0;  ///< words of one piece of one array; bytes in all
  std::uint64_t* base_ = nullptr;
  std::vector<std::uint64_t> sums_;
};

/// What the arrays of `threads` threads should take: four times the last-level caches that they fill.
std::size_t footprint_for(const Machine& machine, int threads, const LimitsProtocol& protocol) {
  constexpr std::size_t unknown_cache = 64u << 20;
  if (protocol.footprint > 0) return protocol.footprint;
  std::size_t cache = machine.last_level_bytes();
  if (threads == 1)
    for (const CpuCache& known : machine.caches)
      if (known.type != "instruction") cache = known.bytes;
  return 4 * (cache > 0 ? cache : unknown_cache);
}

void measure_bandwidths(Limits& limits, const Topology& topology, const Machine& machine,
                        const LimitsProtocol& protocol, const LimitsProgress& progress) {
  for (const int threads : teams(topology)) {
    if (!progress(threads == 1 ? "bandwidth of one core" : "bandwidth of all cores")) return;
    const std::size_t footprint = footprint_for(machine, threads, protocol);
    if (const std::size_t max = available_memory() / 2; footprint > max) {
      limits.bandwidths_absent =
          fmt::format("arrays beyond the caches take {}, half of the free memory is {}",
                      human_bytes(static_cast<double>(footprint)), human_bytes(static_cast<double>(max)));
      continue;
    }
    Arrays arrays(topology, threads, footprint);
    arrays.stream();
    arrays.read();
    arrays.clear();
    arrays.copy();
    arrays.read();
    std::vector<double> read, copy, stream;
    const double gigabytes = static_cast<double>(arrays.bytes()) * 1e-9;
    for (Rounds rounds(protocol); rounds.next();) {
      read.push_back(gigabytes / arrays.read());
      copy.push_back(gigabytes / arrays.copy());
      stream.push_back(gigabytes / arrays.stream());
    }
    limits.bandwidths.push_back({"read", threads, arrays.bytes(), rated(read)});
    limits.bandwidths.push_back({"copy (memcpy)", threads, arrays.bytes(), rated(copy)});
    limits.bandwidths.push_back({"copy (streaming stores)", threads, arrays.bytes(), rated(stream)});
  }
}

}  // namespace

double Limits::gflop_per_s(std::string_view element, int threads) const {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const FlopPeak& peak : peaks)
    if (peak.element == element && (peak.threads == 1) == (threads == 1))
      best = std::fmax(best, peak.gflop_per_s.best);
  return best;
}

double Limits::gb_per_s(int threads) const {
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const Bandwidth& bandwidth : bandwidths)
    if ((bandwidth.threads == 1) == (threads == 1)) best = std::fmax(best, bandwidth.gb_per_s.best);
  return best;
}

Figure<double> Limits::instructions_per_cycle(const FlopPeak& peak) const {
  if (!clock_ghz) return Figure<double>::none(clock_ghz.absent);
  return peak.gflop_per_s.best / (2.0 * peak.lanes * peak.threads * *clock_ghz);
}

std::vector<Balance> balances(const Limits& limits) {
  std::vector<Balance> result;
  for (const FlopPeak& peak : limits.peaks) {
    double gb_per_s = 0;
    for (const Bandwidth& bandwidth : limits.bandwidths)
      if (bandwidth.threads == peak.threads) gb_per_s = std::max(gb_per_s, bandwidth.gb_per_s.best);
    if (gb_per_s == 0) continue;
    const double per_byte = peak.gflop_per_s.best / gb_per_s;
    result.push_back({peak.element, peak.threads, peak.gflop_per_s.best, gb_per_s, per_byte,
                      per_byte * static_cast<double>(find_element(peak.element).word_bytes)});
  }
  return result;
}

Limits measure_limits(const Machine& machine, const LimitsProtocol& protocol,
                      const LimitsProgress& progress) {
  if (protocol.min_rounds < 1) throw Error("the limits need at least one round");
  const Topology topology;
  const LimitsProgress report_progress = progress ? progress : [](std::string_view) { return true; };
  Limits limits;
  measure_peaks(limits, topology, protocol, report_progress);
  measure_bandwidths(limits, topology, machine, protocol, report_progress);
  return limits;
}

}  // namespace tallcache
