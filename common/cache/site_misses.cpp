#include "common/cache/site_misses.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "common/error.hpp"

namespace tallcache::cache {
namespace {

// after - before, added to the counts of a site.
void add_difference(LevelCounts& counts, const LevelCounts& before, const LevelCounts& after) {
  counts.loads += after.loads - before.loads;
  counts.stores += after.stores - before.stores;
  counts.load_misses += after.load_misses - before.load_misses;
  counts.store_misses += after.store_misses - before.store_misses;
  counts.cold += after.cold - before.cold;
  counts.capacity += after.capacity - before.capacity;
  counts.conflict += after.conflict - before.conflict;
  counts.write_backs += after.write_backs - before.write_backs;
}

auto place_of(const AccessSite& site) {
  return std::tuple(std::string_view(site.where.file), site.where.line, site.where.column, site.store,
                    site.bytes);
}

}  // namespace

void SiteMisses::consume(const Block& block) {
  if (block.sites.size() != block.accesses.size()) throw Error("a trace without the sites of its accesses");
  const std::size_t levels = hierarchy_.levels();
  std::vector<LevelCounts> before(levels);
  for (std::size_t i = 0; i < block.accesses.size(); ++i) {
    for (std::size_t level = 0; level < levels; ++level) before[level] = hierarchy_.counts(level);
    hierarchy_.consume({block.accesses.subspan(i, 1), block.addresses, block.line_bytes});
    const std::size_t first = block.sites[i] * levels;
    if (counts_.size() < first + levels) counts_.resize(first + levels);
    for (std::size_t level = 0; level < levels; ++level)
      add_difference(counts_[first + level], before[level], hierarchy_.counts(level));
  }
}

std::vector<SiteLevels> SiteMisses::of(const AccessSites& sites) const {
  const std::size_t levels = hierarchy_.levels();
  std::vector<SiteLevels> all;
  for (std::size_t i = 0; i < sites.sites().size(); ++i) {
    const AccessSite& site = sites.sites()[i];
    // A text that is compiled in several files has one place for each of them.
    auto same = std::ranges::find_if(
        all, [&](const SiteLevels& other) { return place_of(other.site) == place_of(site); });
    if (same == all.end()) {
      all.push_back({site, std::vector<LevelCounts>(levels)});
      same = std::prev(all.end());
    }
    for (std::size_t level = 0; level < levels && i * levels < counts_.size(); ++level)
      add_difference(same->levels[level], {}, counts_[i * levels + level]);
  }
  std::ranges::sort(all, {}, [](const SiteLevels& one) { return place_of(one.site); });
  return all;
}

}  // namespace tallcache::cache
