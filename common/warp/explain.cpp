#include "common/warp/explain.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <numeric>

namespace tallcache::warp {
namespace {

using cache::AccessKind;
using cache::Space;
using cache::WarpMachine;

/// The figures of one request of a site.
struct EachRequest {
  double bytes, sectors, ideal_sectors, wavefronts, ideal_wavefronts, atomic_steps;

  explicit EachRequest(const cache::RequestCounts& counts) {
    const auto each = [&](std::uint64_t all) {
      return static_cast<double>(all) / static_cast<double>(counts.requests);
    };
    bytes = each(counts.bytes);
    sectors = each(counts.sectors);
    ideal_sectors = each(counts.ideal_sectors);
    wavefronts = each(counts.wavefronts);
    ideal_wavefronts = each(counts.ideal_wavefronts);
    atomic_steps = each(counts.atomic_steps);
  }
};

std::string amount(double value) { return fmt::format("{:.4g}", value); }
std::string amount(double value, const char* one, const char* many) {
  return fmt::format("{} {}", amount(value), value == 1 ? one : many);
}

const char* noun(AccessKind kind) {
  constexpr const char* nouns[] = {"load", "store", "atomic", "copy"};
  return nouns[static_cast<int>(kind)];
}
const char* verb(AccessKind kind) {
  constexpr const char* verbs[] = {"read", "write", "update", "copy"};
  return verbs[static_cast<int>(kind)];
}

/// ", but for 3.2 % of them": the neighbours at other distances.
std::string exceptions(const LaneDistance& distance) {
  return distance.share < 1 ? fmt::format(", but for {:.2g} % of them", 100 * (1 - distance.share)) : "";
}

/// Whether most neighbouring lanes are the same distance apart.
bool is_regular(const LaneDistance& distance) { return distance.share > 0.5; }

std::string global_reason(const WarpMachine& machine, const ExplainedSite& s, const EachRequest& each) {
  const std::int64_t distance = std::abs(s.distance.bytes);
  const char* const does = verb(s.site.kind);
  if (s.distance.share == 0) return fmt::format("single lanes {}", does);
  if (!is_regular(s.distance)) return fmt::format("neighbouring lanes {} at different distances", does);
  if (distance == 0) return fmt::format("neighbouring lanes {} the same address", does);
  if (distance == s.site.width) {
    if (each.sectors == each.ideal_sectors)
      return fmt::format("neighbouring lanes {} neighbouring elements", does);
    return fmt::format("neighbouring lanes {} neighbouring elements, which begin or end within a sector",
                       does);
  }
  const std::string apart =
      fmt::format("neighbouring lanes {} {} bytes apart{}", does, distance, exceptions(s.distance));
  return distance >= machine.sector_bytes ? apart + ", each in a sector of its own" : apart;
}

std::string shared_reason(const WarpMachine& machine, const ExplainedSite& s, const EachRequest& each) {
  const std::int64_t distance = std::abs(s.distance.bytes);
  const char* const does = verb(s.site.kind);
  if (s.distance.share == 0) return fmt::format("single lanes {}", does);
  if (!is_regular(s.distance)) return fmt::format("neighbouring lanes {} at different distances", does);
  if (distance == 0) return fmt::format("neighbouring lanes {} the same word", does);
  if (distance == s.site.width && each.wavefronts == each.ideal_wavefronts)
    return fmt::format("neighbouring lanes {} neighbouring words", does);
  if (distance % machine.bank_bytes)
    return fmt::format("neighbouring lanes {} {} bytes apart", does, distance);
  const std::int64_t words = distance / machine.bank_bytes;
  const std::int64_t banks = machine.banks / std::gcd(words, static_cast<std::int64_t>(machine.banks));
  return fmt::format("neighbouring lanes {} {} apart{}, which begin in {} of the {} banks", does,
                     amount(static_cast<double>(words), "word", "words"), exceptions(s.distance), banks,
                     machine.banks);
}

std::string cost(const ExplainedSite& s, const EachRequest& each) {
  if (s.site.space == Space::global) {
    const std::string text = fmt::format("touches {} for {}", amount(each.sectors, "sector", "sectors"),
                                         amount(each.bytes, "byte", "bytes"));
    if (each.sectors == each.ideal_sectors) return text + ", the least";
    return text + fmt::format(", where {} would do", amount(each.ideal_sectors));
  }
  const std::string text = fmt::format("takes {}", amount(each.wavefronts, "wavefront", "wavefronts"));
  if (each.wavefronts == each.ideal_wavefronts) return text + ", the least";
  return text + fmt::format(", where {} would do", amount(each.ideal_wavefronts));
}

}  // namespace

Explanation::Explanation(HostDevice& device) : device_(device) {
  device.recorder().observe([this](const Site& site, const cache::WarpRequest& request) {
    const auto [observed, is_new] = observed_.try_emplace(site.key(), Observed{site, {}});
    for (int lane = 0; lane + 1 < 32; ++lane)
      if ((request.mask >> lane & 3) == 3)
        ++observed->second
              .pairs[static_cast<std::int64_t>(request.address[lane + 1] - request.address[lane])];
  });
}

Explanation::~Explanation() { device_.recorder().observe({}); }

std::vector<ExplainedSite> Explanation::sites() const {
  // A text that is compiled for several types has one place, and is observed for each of them.
  std::unordered_map<std::string, std::map<std::int64_t, std::uint64_t>> distances;
  for (const auto& [key, observed] : observed_)
    for (const auto& [bytes, number] : observed.pairs) distances[to_string(observed.site)][bytes] += number;
  std::vector<ExplainedSite> all;
  for (const SiteCounts& counted : device_.sites()) {
    ExplainedSite& site = all.emplace_back(ExplainedSite{counted.site, counted.counts, {}});
    std::uint64_t pairs = 0, most = 0;
    for (const auto& [bytes, number] : distances[to_string(counted.site)]) {
      pairs += number;
      if (number <= most) continue;
      most = number;
      site.distance.bytes = bytes;
    }
    if (pairs) site.distance.share = static_cast<double>(most) / static_cast<double>(pairs);
  }
  return all;
}

std::string sentence(const WarpMachine& machine, const ExplainedSite& s) {
  const EachRequest each(s.counts);
  std::string text =
      fmt::format("the {} of line {} {}: ", noun(s.site.kind), s.site.where.line, cost(s, each));
  text += s.site.space == Space::global ? global_reason(machine, s, each) : shared_reason(machine, s, each);
  if (each.atomic_steps > 1)
    text += fmt::format("; {} lanes of a warp meet at one address", amount(each.atomic_steps));
  if (const double active = s.counts.lane_efficiency(); active < 1)
    text += fmt::format("; {:.3g} % of the lanes are active", 100 * active);
  return text;
}

}  // namespace tallcache::warp
