#include "common/warp/recorder.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>

#include "common/error.hpp"

namespace tallcache::warp {
namespace {

auto place_of(const Site& site) {
  return std::tuple(std::string_view(site.where.file), site.where.line, site.where.column, site.space,
                    site.kind, site.width);
}

}  // namespace

std::string to_string(const Site& site) {
  constexpr const char* kinds[] = {"load", "store", "atomic", "copy"};
  return std::string(site.where.file) + ":" + std::to_string(site.where.line) + ":" +
         std::to_string(site.where.column) + ": " + kinds[static_cast<int>(site.kind)] + " of " +
         std::to_string(site.width) + " bytes, " +
         (site.space == cache::Space::global ? "global" : "shared") + " memory";
}

int Recorder::site_of(Key key, const Site& site) {
  const auto [found, is_new] = site_numbers_.try_emplace(key, static_cast<int>(sites_.size()));
  if (is_new) sites_.push_back({{site, {}}, {}, 0, compiled_width(site)});
  return found->second;
}

/// The lane's visits so far are those before the cursor.
void Recorder::diverge() {
  converged_ = false;
  for (SiteVisits& site : sites_)
    site.own =
        static_cast<std::uint32_t>(std::ranges::lower_bound(site.visits, cursor_) - site.visits.begin());
}

Recorder::Visit& Recorder::new_visit(Key key, int site) {
  if (used_ == visits_.size()) visits_.resize(std::max<std::size_t>(64, 2 * used_));
  Visit& visit = visits_[used_];
  const Site& what = sites_[site].counts.site;
  visit.key = key;
  visit.site = site;
  visit.request.mask = 0;
  visit.request.width = what.width;
  visit.request.space = what.space;
  visit.request.kind = what.kind;
  visit.request.exchanges = false;
  sites_[site].visits.push_back(static_cast<std::uint32_t>(used_++));
  return visit;
}

void Recorder::access_diverged(Key key, const Site& what, std::uint64_t address) {
  const int site = site_of(key, what);
  if (converged_ && cursor_ == used_) {
    add(new_visit(key, site), address);
    cursor_ = used_;
    return;
  }
  if (converged_) diverge();
  SiteVisits& own = sites_[site];
  const std::uint32_t number = own.own++;
  if (number == own.visits.size()) new_visit(key, site);
  diverged_ = sites_[site].visits[number];
  add(visits_[diverged_], address);
}

void Recorder::compiled_as(std::span<const CompiledAccess> accesses) {
  compiled_ = accesses;
  for (SiteVisits& site : sites_) site.compiled_width = compiled_width(site.counts.site);
}

int Recorder::compiled_width(const Site& site) const {
  for (const CompiledAccess& access : compiled_)
    if (access.line == static_cast<int>(site.where.line) && access.space == site.space &&
        access.kind == site.kind && access.file == site.where.file)
      return access.widest();
  return 0;
}

/// Merges visits that follow each other, the widest first.
void Recorder::merge(const SiteVisits& site) {
  const std::span<const std::uint32_t> visits = site.visits;
  for (std::size_t i = 0; i + 1 < visits.size();) {
    std::size_t together = static_cast<std::size_t>(site.compiled_width / site.counts.site.width);
    while (together > 1 && (i + together > visits.size() || !merge(visits.subspan(i, together))))
      together /= 2;
    i += together;
  }
}

/// Makes the first of the visits as wide as all when each lane's addresses are a block in order, aligned as
/// a whole. The others are left without lanes.
bool Recorder::merge(std::span<const std::uint32_t> visits) {
  cache::WarpRequest& first = visits_[visits[0]].request;
  const int width = first.width * static_cast<int>(visits.size());
  for (std::size_t v = 0; v < visits.size(); ++v) {
    const cache::WarpRequest& request = visits_[visits[v]].request;
    if (request.mask != first.mask) return false;
    for (std::uint32_t lanes = first.mask; lanes; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      if (first.address[lane] % static_cast<unsigned>(width) ||
          request.address[lane] != first.address[lane] + v * static_cast<unsigned>(first.width))
        return false;
    }
  }
  for (const std::uint32_t visit : visits.subspan(1)) visits_[visit].request.mask = 0;
  first.width = width;
  return true;
}

void Recorder::end_warp() {
  for (const SiteVisits& site : sites_)
    if (site.compiled_width > site.counts.site.width) merge(site);
  for (std::size_t i = 0; i < used_; ++i) {
    if (!visits_[i].request.mask) continue;  // merged into another
    SiteCounts& counts = sites_[visits_[i].site].counts;
    try {
      if (counts_) counts.counts += count_requests(machine_, visits_[i].request);
    } catch (const Error& error) {
      throw Error(to_string(counts.site) + ": " + error.what());
    }
    if (observer_) observer_(counts.site, visits_[i].request);
  }
  drop_warp();
}

void Recorder::drop_warp() {
  used_ = 0;
  for (SiteVisits& site : sites_) site.visits.clear();
}

std::vector<SiteCounts> Recorder::sites() const {
  std::vector<SiteCounts> all;
  for (const SiteVisits& site : sites_) {
    // A text that is compiled for several types has one place for each of them.
    const auto same = std::ranges::find_if(
        all, [&](const SiteCounts& other) { return place_of(other.site) == place_of(site.counts.site); });
    if (same == all.end())
      all.push_back(site.counts);
    else
      same->counts += site.counts.counts;
  }
  std::ranges::sort(all, {}, [](const SiteCounts& counts) { return place_of(counts.site); });
  return all;
}

void Recorder::clear() {
  used_ = 0;
  sites_.clear();
  site_numbers_.clear();
}

}  // namespace tallcache::warp
