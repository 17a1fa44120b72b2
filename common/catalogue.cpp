#include "common/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "common/backend.hpp"

namespace tallcache {

std::span<const Variant* const> variants() {
  static const auto all = [] {
    std::vector<const Variant*> list;
    for (const Backend* backend : backends())
      for (const Variant* variant : backend->variants()) list.push_back(variant);
    return list;
  }();
  return all;
}

const Backend& find_backend(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Backend* backend : backends()) {
    if (backend->name == name) return *backend;
    names.push_back(backend->name);
  }
  throw Error(fmt::format("this build has no backend '{}'; it has: {}", name, fmt::join(names, ", ")),
              Status::unavailable);
}

bool on_host(const Variant& variant) { return find_backend(variant.backend).host; }

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

const Variant& find_variant(const Operation& operation, std::string_view name, std::string_view backend) {
  std::vector<std::string_view> names;
  for (const Variant* variant : variants_of(operation)) {
    if (variant->backend != backend) continue;
    if (variant->name == name) return *variant;
    names.push_back(variant->name);
  }
  if (names.empty())
    throw Error(fmt::format("this build has no variant of {} {} on the {}", operation.name, operation.element,
                            backend));
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
  std::size_t min = std::max<std::size_t>(name.size() / 2, 2) + 1;
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
    if (row.back() < min) {
      min = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

// Of a message behind the program's name, "tallcache: ".
constexpr std::size_t most_columns = 100 - 11;

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> names) {
  if (const auto nearest = nearest_name(name, names); !nearest.empty())
    return fmt::format("unknown {} '{}'; did you mean '{}'?", kind, name, nearest);
  std::string text = fmt::format("unknown {} '{}'; there are", kind, name);
  if (names.empty()) return text + " none";
  if (const std::string all = fmt::format("{}: {}", text, fmt::join(names, ", ")); all.size() <= most_columns)
    return all;
  text += fmt::format(" {}: ", names.size());
  for (const std::string_view one : names) {
    if (text.size() + one.size() + std::string_view(", ...").size() > most_columns) break;
    text.append(one).append(", ");
  }
  return text + "...";
}

}  // namespace tallcache
