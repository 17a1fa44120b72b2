// The misses of each site of a traced text.
#pragma once

#include <span>
#include <vector>

#include "common/cache/access_sites.hpp"
#include "common/cache/hierarchy.hpp"

namespace tallcache::cache {

struct SiteLevels {
  AccessSite site;
  std::vector<LevelCounts> levels;
};

/// A hierarchy that counts the misses of each site. The tracer must tell sites apart.
class SiteMisses : public Model {
 public:
  /// Throws Error as validate(levels) does.
  explicit SiteMisses(std::span<const CacheLevel> levels) : hierarchy_(levels) {}

  void consume(const Block& block) override;

  /// What each of `sites` had at each level, by place in the text, loads before stores.
  std::vector<SiteLevels> of(const AccessSites& sites) const;

 private:
  Hierarchy hierarchy_;
  std::vector<LevelCounts> counts_;  ///< of site 0 at each level, of site 1, ...
};

}  // namespace tallcache::cache
