// The catalogue: every variant, in the order of the backends and of their lists. Tests, benches, the program
// and the documentation all enumerate it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/variant.hpp"

namespace tallcache {

/// Every variant of every backend that was built, in the order of the lists.
std::span<const Variant* const> variants();

/// Every operation that has a variant, in the order of first appearance.
std::span<const Operation* const> operations();

/// The operation called `name` on `element` (empty: its first element type); throws Error with the
/// nearest name.
const Operation& find_operation(std::string_view name, std::string_view element = {});

/// The variant called `name` of `operation`; throws Error with the nearest name.
const Variant& find_variant(const Operation& operation, std::string_view name,
                            std::string_view backend = "cpu");

/// The variants of `operation`, in order.
std::vector<const Variant*> variants_of(const Operation& operation);

/// Of `names`, the one with the least edit distance from `name`, or empty when none is near.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names);

/// "unknown <kind> '<name>'; did you mean '<nearest>'?" Where none is near, how many there are and as many
/// of their names as fit in a line.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> names);

}  // namespace tallcache
