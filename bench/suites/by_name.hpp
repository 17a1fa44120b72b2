// Things that a user names on the command line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tallcache {

/// Whether `asked` is a pattern of the shell's: it has *, ? or [.
bool is_pattern(std::string_view asked);
/// Whether the whole of `name` matches `pattern`: "*-gpu*", "rec*".
bool matches(std::string_view pattern, std::string_view name);

/// The places in `known` of the name `asked`, or of all names that it matches as a pattern. Throws Error when
/// there are none, with the nearest name; `what` describes them in its message: "operation with steps".
std::vector<std::size_t> places_of(std::string_view asked, std::span<const std::string_view> known,
                                   std::string_view what);

/// Of `all` those with these names or of these patterns, each once, or all where none is named. Throws Error
/// as places_of() does.
template <class Item, class NameOf>
std::vector<Item> find_by_name(const std::vector<Item>& all, std::span<const std::string> names,
                               NameOf name_of, std::string_view what) {
  if (names.empty()) return all;
  std::vector<std::string_view> known;
  for (const Item& item : all) known.push_back(std::invoke(name_of, item));
  std::vector<Item> found;
  for (const std::string& name : names)
    for (const std::size_t place : places_of(name, known, what))
      if (!std::ranges::count(found, all[place])) found.push_back(all[place]);
  return found;
}

}  // namespace tallcache
