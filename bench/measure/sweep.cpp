#include "bench/measure/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>

#include "common/error.hpp"

namespace tallcache {
namespace {

// A size, or -1, which is none.
std::int64_t size_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

// The values of "64..4096*2" or "100..500+100".
std::vector<std::int64_t> values_of(std::string_view text) {
  const std::size_t dots = text.find(".."), step = std::min(text.find_first_of("*+", dots), text.size() - 1);
  const std::int64_t first = size_of(text.substr(0, dots)),
                     last = size_of(text.substr(dots + 2, step - std::min(step, dots + 2))),
                     by = size_of(text.substr(step + 1));
  const bool multiplies = text[step] == '*';
  if (first < (multiplies ? 1 : 0) || last < first || by < (multiplies ? 2 : 1))
    throw Error(fmt::format(
        "'{}' is no sweep: write 64..4096*2 or 100..500+100, from a lower to a higher size", text));
  std::vector<std::int64_t> values;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t value = first; value <= last;) {
    if (values.push_back(value); values.size() > most_swept)
      throw Error(fmt::format("the sweep '{}' has more than {} sizes", text, most_swept));
    if (multiplies ? value > most / by : value > most - by) break;
    value = multiplies ? value * by : value + by;
  }
  return values;
}

}  // namespace

std::vector<std::string> swept_shapes(const std::string& text) {
  std::vector<std::string> shapes{""};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t equals = item.find('=');
    std::vector<std::string> items{item};
    if (equals != item.npos && item.find("..", equals) != item.npos) {
      items.clear();
      for (const std::int64_t value : values_of(std::string_view(item).substr(equals + 1)))
        items.push_back(fmt::format("{}={}", item.substr(0, equals), value));
    }
    if (shapes.size() * items.size() > most_swept)
      throw Error(fmt::format("'{}' has more than {} shapes", text, most_swept));
    std::vector<std::string> longer;
    for (const std::string& shape : shapes)
      for (const std::string& one : items) longer.push_back(shape.empty() ? one : shape + "," + one);
    shapes = std::move(longer);
  }
  return shapes;
}

}  // namespace tallcache
