#include "common/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace tallcache {

// Each line of a list is a constant array in a translation unit that CMake makes from cmake/variant.cpp.in.
#define TALLCACHE_JOIN_NAMES(backend, folder, name) backend##_##folder##_##name
#define TALLCACHE_JOIN(...) TALLCACHE_JOIN_NAMES(__VA_ARGS__)
#define TALLCACHE_VARIANT(folder, name, ...) TALLCACHE_LISTED(TALLCACHE_JOIN(TALLCACHE_BACKEND, folder, name))
#define TALLCACHE_TEXTBOOK(folder, name) TALLCACHE_VARIANT(folder, name)
#define TALLCACHE_PEER(name) TALLCACHE_VARIANT(peers, name)

#define TALLCACHE_LISTED(symbol) extern const std::span<const Variant> symbol;
#include "common/variant_lists.def"
#undef TALLCACHE_LISTED

std::span<const Variant* const> variants() {
  static const auto all = [] {
    std::vector<const Variant*> list;
    const auto add = [&](std::span<const Variant> records) {
      for (const Variant& variant : records) list.push_back(&variant);
    };
#define TALLCACHE_LISTED(symbol) add(symbol);
#include "common/variant_lists.def"
    return list;
  }();
  return all;
}

std::span<const Operation* const> operations() {
  static const auto all = [] {
    std::vector<const Operation*> list;
    for (const Variant* variant : variants())
      if (std::ranges::find(list, variant->operation) == list.end()) list.push_back(variant->operation);
    return list;
  }();
  return all;
}

const Operation& find_operation(std::string_view name, std::string_view element) {
  std::vector<std::string_view> names, elements;
  for (const Operation* operation : operations()) {
    if (operation->name == name) {
      if (element.empty() || operation->element == element) return *operation;
      elements.push_back(operation->element);
    }
    if (std::ranges::find(names, operation->name) == names.end()) names.push_back(operation->name);
  }
  if (!elements.empty())
    throw Error(unknown_name(fmt::format("element type of {}", name), element, elements));
  throw Error(unknown_name("operation", name, names));
}

const Variant& find_variant(const Operation& operation, std::string_view name, Backend backend) {
  std::vector<std::string_view> names;
  for (const Variant* variant : variants_of(operation)) {
    if (variant->backend != backend) continue;
    if (variant->name == name) return *variant;
    names.push_back(variant->name);
  }
  if (names.empty())
    throw Error(fmt::format("this build has no variant of {} {} on the {}", operation.name, operation.element,
                            to_string(backend)));
  throw Error(unknown_name(fmt::format("variant of {}", operation.name), name, names));
}

std::vector<const Variant*> variants_of(const Operation& operation) {
  std::vector<const Variant*> list;
  for (const Variant* variant : variants())
    if (variant->operation == &operation) list.push_back(variant);
  return list;
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(name.size() / 2, 2) + 1;
  for (std::string_view candidate : names) {
    // Levenshtein distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t substitute = diagonal + (name[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({substitute, diagonal + 1, row[j] + 1});
      }
    }
    if (row.back() < least) {
      least = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> names) {
  if (const auto nearest = nearest_name(name, names); !nearest.empty())
    return fmt::format("unknown {} '{}'; did you mean '{}'?", kind, name, nearest);
  return fmt::format("unknown {} '{}'; there are: {}", kind, name, fmt::join(names, ", "));
}

}  // namespace tallcache
