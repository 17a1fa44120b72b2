#include "common/operation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "common/catalogue.hpp"

namespace tallcache {
namespace {

Index parse_index(std::string_view name, std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) throw Error(fmt::format("{}: {} is too large", name, text));
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{}: '{}' is not a whole number", name, text));
  return value;
}

// "a=1,b=2" with names from `names`, whose storage the result keeps pointing at.
Named parse_named(std::string_view kind, std::string_view text, std::span<const std::string_view> names) {
  Named result;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == item.npos) throw Error(fmt::format("{} '{}': expected NAME=NUMBER", kind, item));
    const std::string_view name = item.substr(0, equals);
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end()) throw Error(unknown_name(kind, name, names));
    if (result.find(*known)) throw Error(fmt::format("{} '{}' is given twice", kind, name));
    result.set(*known, parse_index(name, item.substr(equals + 1)));
  }
  return result;
}

template <class Specs>
std::vector<std::string_view> names_of(const Specs& specs) {
  std::vector<std::string_view> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  return names;
}

}  // namespace

std::string to_string(const Operation& operation, const Shape& shape) {
  std::string text;
  for (const DimSpec& dim : operation.dims) {
    const auto* item = shape.find(dim.name);
    if (!item || item->value == dim.default_value) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", dim.name, item->value);
  }
  return text;
}

Shape complete_shape(const Operation& operation, const Shape& shape) {
  const auto names = names_of(operation.dims);
  for (const auto& item : shape)
    if (std::find(names.begin(), names.end(), item.name) == names.end())
      throw Error(unknown_name("size", item.name, names));
  Shape complete;
  for (const DimSpec& dim : operation.dims) {
    const auto* item = shape.find(dim.name);
    const bool first = dim.name == operation.dims.front().name;
    if (!item && first) throw Error(fmt::format("{}: the size {} is missing", operation.name, dim.name));
    const Index value = item                                          ? item->value
                        : dim.default_value == DimSpec::same_as_first ? complete[operation.dims.front().name]
                                                                      : dim.default_value;
    if (value < 0 && dim.name == "pad")
      throw Error(fmt::format("pad={}: the leading dimension is smaller than the columns", value));
    if (value < 0) throw Error(fmt::format("{}={}: a size is not negative", dim.name, value));
    complete.set(dim.name, value);
  }
  operation.buffers(complete);
  return complete;
}

Shape parse_shape(const Operation& operation, std::string_view text) {
  return complete_shape(operation, parse_named("size", text, names_of(operation.dims)));
}

Params complete_params(const Variant& variant, const Params& params) {
  const auto names = names_of(variant.params);
  for (const auto& item : params)
    if (std::find(names.begin(), names.end(), item.name) == names.end()) {
      if (names.empty())
        throw Error(fmt::format("{} has no parameters, so none called '{}'", variant.name, item.name));
      throw Error(unknown_name("parameter", item.name, names));
    }
  Params complete;
  for (const ParamSpec& spec : variant.params) {
    const auto* item = params.find(spec.name);
    const Index value = item ? item->value : spec.default_value;
    if (value < spec.min)
      throw Error(fmt::format("{}: {}={} is less than {}", variant.name, spec.name, value, spec.min));
    if (!spec.choices.empty() && std::ranges::find(spec.choices, value) == spec.choices.end())
      throw Error(fmt::format("{}: {}={} is none of {}", variant.name, spec.name, value,
                              fmt::join(spec.choices, ", ")));
    complete.set(spec.name, value);
  }
  return complete;
}

Params parse_params(const Variant& variant, std::string_view text) {
  return complete_params(variant, parse_named("parameter", text, names_of(variant.params)));
}

std::string to_string(const Params& params) {
  std::string text;
  for (const auto& item : params)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", item.name, item.value);
  return text;
}

}  // namespace tallcache
