#include "common/key_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "common/catalogue.hpp"

namespace tallcache {
namespace {

using Texts = std::vector<std::string_view>;

// "a whole number from 1 to 65536"
std::string range_text(const KeyParam& param) {
  return fmt::format("a {} from {} to {}", param.whole ? "whole number" : "number", param.min, param.max);
}

// A NaN is in no range.
double parse_number(const KeyParam& param, std::string_view text, std::string_view family) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole_text = error == std::errc() && end == text.data() + text.size();
  if (!whole_text || !(value >= param.min && value <= param.max) ||
      (param.whole && value != std::floor(value)))
    throw Error(fmt::format("{}: '{}={}' is not {}", family, param.name, text, range_text(param)));
  return value;
}

double parse_word(const KeyParam& param, std::string_view text, std::string_view family) {
  const auto found = std::ranges::find(param.words, text);
  if (found == param.words.end())
    throw Error(unknown_name(fmt::format("{} of {}", param.name, family), text, param.words));
  return static_cast<double>(found - param.words.begin());
}

void parse_param(KeyPoint& point, std::string_view text) {
  const KeyFamily& family = *point.family;
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const bool is_range = name == key_range.name;
  const auto param =
      is_range ? &key_range : std::to_address(std::ranges::find(family.params, name, &KeyParam::name));
  if (param == std::to_address(family.params.end())) {
    Texts names;
    for (const KeyParam& known : family.params) names.push_back(known.name);
    names.push_back(key_range.name);
    throw Error(unknown_name(fmt::format("parameter of {}", family.name), name, names));
  }
  auto& value =
      is_range ? point.range : point.values.at(static_cast<std::size_t>(param - family.params.data()));
  if (value) throw Error(fmt::format("{}: '{}' is given twice", family.name, name));
  if (param->flag != (equals == text.npos))
    throw Error(fmt::format("{}: '{}' {}", family.name, name,
                            param->flag ? "is a flag and has no value" : "has no value"));
  value = param->flag            ? 1
          : param->words.empty() ? parse_number(*param, text.substr(equals + 1), family.name)
                                 : parse_word(*param, text.substr(equals + 1), family.name);
}

// What was not given is the first of the words, no flag, the seed's, or missing.
void complete(KeyPoint& point) {
  for (std::size_t p = 0; p < point.family->params.size(); ++p) {
    const KeyParam& param = point.family->params[p];
    if (point.values[p] || param.optional) continue;
    if (param.is_number())
      throw Error(fmt::format("{}: '{}=' is missing: {}, {}", point.family->name, param.name, param.what,
                              range_text(param)));
    point.values[p] = 0;
  }
}

// The texts between the separators.
Texts split(std::string_view text, char separator) {
  Texts parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The texts in "(...)(...)", of which none holds a parenthesis.
Texts in_parentheses(const KeyFamily& family, std::string_view text) {
  Texts parts;
  while (!text.empty()) {
    const std::size_t end = text.find(')');
    if (text.front() != '(' || end == text.npos || text.find('(', 1) < end)
      throw Error(
          fmt::format("{}: '{}' is not (INPUT)(INPUT), each without parts of its own", family.name, text));
    parts.push_back(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
  return parts;
}

const KeyFamily& find_family(std::string_view name, bool is_bare) {
  const auto families = key_families();
  const auto found = std::ranges::find(families, name, &KeyFamily::name);
  if (found != families.end()) return *found;
  Texts names;
  for (const KeyFamily& family : families) names.push_back(family.name);
  if (is_bare)  // the first name is that of a family, too
    names.insert(names.begin(), std::next(std::begin(key_inputs)), std::end(key_inputs));
  throw Error(unknown_name("input", name, names));
}

// Numbers that a draw is made of.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t index) : seed_(random_bits(seed, index)) {}

  /// Uniform in [0, 1).
  double unit() { return random_unit(seed_, position_++); }
  /// In [0, count), each as probable.
  std::size_t below(std::size_t count) { return random_up_to(seed_, position_++, count - 1); }
  double log_uniform(double min, double max) { return min * std::pow(max / min, unit()); }

 private:
  std::uint64_t seed_, position_ = 0;
};

double draw_number(const KeyParam& param, Index n, Draws& draws) {
  double max = param.drawn_max;
  if (param.drawn_share > 0)
    max = std::clamp(std::floor(param.drawn_share * static_cast<double>(n)), param.drawn_min, max);
  double value = 0;
  if (param.drawn_min > 0) {
    value = draws.log_uniform(param.drawn_min, max);
  } else {
    const std::size_t eighth = draws.below(8);
    value = eighth == 0 ? 0 : eighth == 1 ? max : draws.unit() * max;
  }
  // As few digits as can be typed.
  const std::string text = fmt::format("{:.3g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (param.whole) value = std::round(value);
  return std::clamp(value, param.drawn_min, max);
}

KeyPoint draw_point(Index n, Draws& draws, bool is_part) {
  std::vector<const KeyFamily*> families;
  for (const KeyFamily& family : key_families())
    if (!is_part || family.parts == 0) families.push_back(&family);
  KeyPoint point{families[draws.below(families.size())]};
  const auto& params = point.family->params;
  for (std::size_t p = 0; p < params.size(); ++p)
    point.values[p] = params[p].is_number()
                          ? draw_number(params[p], n, draws)
                          : static_cast<double>(draws.below(params[p].flag ? 2 : params[p].words.size()));
  for (int part = 0; part < point.family->parts; ++part) point.parts.push_back(draw_point(n, draws, true));
  return point;
}

}  // namespace

KeyPoint parse_key_input(std::string_view text) {
  const auto named = std::ranges::find(named_key_points(), text, &NamedKeyPoint::name);
  if (named != named_key_points().end() && named->name != named->text) return parse_key_input(named->text);
  const std::size_t open = std::min(text.find('('), text.size());
  const std::string_view head = text.substr(0, open);
  const std::size_t colon = head.find(':');
  const KeyFamily& family = find_family(head.substr(0, colon), colon == head.npos && open == text.size());
  KeyPoint point{&family};
  if (colon != head.npos)
    for (const std::string_view param : split(head.substr(colon + 1), ',')) parse_param(point, param);
  complete(point);
  const Texts parts = in_parentheses(family, text.substr(open));
  if (static_cast<int>(parts.size()) != family.parts)
    throw Error(fmt::format("{} has {} parts, not {}{}", family.name, family.parts, parts.size(),
                            family.parts ? ", as mixture:q=0.3(zipf:s=1)(sorted)" : ""));
  for (const std::string_view part : parts) {
    point.parts.push_back(parse_key_input(part));
    if (point.parts.back().family->parts)
      throw Error(fmt::format("{}: '{}' has parts of its own", family.name, part));
  }
  return point;
}

std::string to_string(const KeyPoint& point) {
  std::string text(point.family->name);
  char separator = ':';
  for (std::size_t p = 0; p < point.family->params.size(); ++p) {
    const KeyParam& param = point.family->params[p];
    const auto& value = point.values[p];
    if (!value || (!param.is_number() && *value == 0)) continue;
    text += std::exchange(separator, ',');
    text += param.name;
    if (!param.flag) text += '=';
    if (param.is_number()) text += fmt::format("{}", *value);
    if (!param.words.empty()) text += param.words[static_cast<std::size_t>(*value)];
  }
  if (point.range) text += fmt::format("{}{}={}", separator, key_range.name, *point.range);
  for (const KeyPoint& part : point.parts) text += fmt::format("({})", to_string(part));
  return text;
}

std::string key_grammar() {
  std::string text = fmt::format(
      "  --input: {},\n  or a family with its parameters, as zipf:s=1.3,scattered or "
      "'mixture:q=0.3(runs:r=4)(uniform)'\n  of any family: {}=, {}, {}\n",
      fmt::join(key_inputs, ", "), key_range.name, key_range.what, range_text(key_range));
  for (const KeyFamily& family : key_families()) {
    text += fmt::format("  {:<18} {}\n", family.name, family.what);
    for (const KeyParam& param : family.params) {
      text +=
          fmt::format("    {:<16} {}", fmt::format("{}{}", param.name, param.flag ? "" : "="), param.what);
      if (!param.words.empty()) text += fmt::format(": {}", fmt::join(param.words, ", "));
      if (param.is_number())
        text += fmt::format("; {}{}, in draws from {} to {}{}", range_text(param),
                            param.optional ? " or, without it, as the seed says" : "", param.drawn_min,
                            param.drawn_max,
                            param.drawn_share > 0 ? fmt::format(" and {} n", param.drawn_share) : "");
      text += "\n";
    }
  }
  return text;
}

bool takes_keys(const Operation& operation) { return operation.inputs.data() == std::data(key_inputs); }

void require_input(const Operation& operation, std::string_view input) {
  if (takes_keys(operation))
    parse_key_input(input);
  else if (std::ranges::find(operation.inputs, input) == operation.inputs.end())
    throw Error(unknown_name("input", input, operation.inputs));
}

Shape KeyDraw::shape(const Operation& operation) const {
  Shape shape;
  for (const DimSpec& dim : operation.dims) shape.set(dim.name, dim.name == "range" ? range : n);
  return shape;
}

std::string KeyDraw::input(const Operation& operation) const {
  KeyPoint typed = point;
  const bool is_said = std::ranges::find(operation.dims, "range", &DimSpec::name) != operation.dims.end();
  if (!is_said && range < static_cast<Index>(key_range.max)) typed.range = static_cast<double>(range);
  return to_string(typed);
}

KeyDraw draw_keys(std::uint64_t seed, std::uint64_t index, Index max_n, Index min_n) {
  Draws draws(seed, index);
  const double most = static_cast<double>(max_n), least = std::min(static_cast<double>(min_n), most);
  const auto n = static_cast<Index>(std::clamp(draws.log_uniform(least, most), least, most));
  const Index ranges[] = {n, n / 16, 0xffffffff};
  const Index range = ranges[draws.below(std::size(ranges))];
  return {draw_point(n, draws, false), n, range};
}

}  // namespace tallcache
