// Things that a user names on the command line.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalogue.hpp"
#include "common/error.hpp"

namespace tallcache {

/// Of `all` those with these names, each once, or all where none is named. Throws Error with the nearest
/// name; `what` describes them in its message: "operation with steps".
template <class Item, class NameOf>
std::vector<Item> find_by_name(const std::vector<Item>& all, std::span<const std::string> names,
                               NameOf name_of, std::string_view what) {
  if (names.empty()) return all;
  std::vector<std::string_view> known;
  for (const Item& item : all) known.push_back(std::invoke(name_of, item));
  std::vector<Item> found;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(known, name);
    if (at == known.end()) throw Error(unknown_name(what, name, known));
    const Item& item = all[static_cast<std::size_t>(at - known.begin())];
    if (!std::ranges::count(found, item)) found.push_back(item);
  }
  return found;
}

}  // namespace tallcache
