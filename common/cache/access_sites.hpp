// The accesses of a traced text by their sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/place.hpp"

namespace tallcache::cache {

/// An access in a traced text.
struct AccessSite {
  Place where;
  bool store;
  std::size_t bytes;  ///< of an element
};

/// Numbers the sites 0, 1, 2, ... in the order of their first access.
class AccessSites {
 public:
  std::uint32_t number(const AccessSite& site) {
    const std::uint64_t key = (site.where.hash() << 6 ^ site.bytes) << 1 | std::uint64_t{site.store};
    if (key != last_key_) {
      const auto [found, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(sites_.size()));
      if (is_new) sites_.push_back(site);
      last_key_ = key;
      last_ = found->second;
    }
    return last_;
  }

  std::span<const AccessSite> sites() const { return sites_; }

 private:
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::uint32_t last_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<AccessSite> sites_;
};

}  // namespace tallcache::cache
