#include "bench/suites/by_name.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include "common/catalogue.hpp"
#include "common/error.hpp"

namespace tallcache {

bool is_pattern(std::string_view asked) { return asked.find_first_of("*?[") != asked.npos; }

bool matches(std::string_view pattern, std::string_view name) {
  return fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

std::vector<std::size_t> places_of(std::string_view asked, std::span<const std::string_view> known,
                                   std::string_view what) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] == asked || (is_pattern(asked) && matches(asked, known[i]))) places.push_back(i);
  if (!places.empty()) return places;
  if (is_pattern(asked)) throw Error(fmt::format("no {} matches '{}'", what, asked));
  throw Error(unknown_name(what, asked, known));
}

}  // namespace tallcache
