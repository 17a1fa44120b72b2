// Complexity: the misses of an algorithm's own text in ideal caches, over a small design of experiments: n at
// one cache, Z at one n and L, L at one n and Z.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/tables/power_law.hpp"
#include "common/cache/tracer.hpp"
#include "common/view.hpp"

namespace tallcache {

/// The sides of a tile of the tiled product, and the buckets of counting sort: b and m of the formulas.
inline constexpr Index traced_tile = 8, traced_buckets = 128;

/// A problem of size n on a cache of z words in lines of l words.
struct Setting {
  double n, z, l;
};

/// The meaning of a formula of misses: their number, an upper bound, or their growth up to a constant.
enum class ClaimKind { count, upper_bound, growth };

/// A row of the slides' table, with the sizes at which it is measured. Every range contains `centre`.
struct Claim {
  std::string_view row;                 ///< its name in the slides' table
  std::string_view operation, variant;  ///< their names in records
  double (*formula)(const Setting&);    ///< the slides', with 1 for the constants of a Theta
  ClaimKind kind;
  Setting exponents;                     ///< of the formula's leading term
  int word;                              ///< bytes of an element
  void (*run)(cache::Tracer&, Index n);  ///< the algorithm, once
  std::array<double, 3> n;
  std::vector<double> z, l;
  Setting centre;
  std::vector<Setting> others{};  ///< that show something besides the exponents
};

/// Every row of the slides' table 'cache-complexity', in its order.
std::span<const Claim> claims();
/// Throws Error with the nearest name.
const Claim& find_claim(std::string_view row);

struct Misses {
  Setting at;
  double lru, formula;
  double opt = no_value;  ///< with optimal replacement, along n
  double ratio() const { return lru / formula; }
};

/// Counts the misses of a claim's settings: one record for each trace, that is for each n and l, with the
/// misses of caches of several sizes. With `first_only` only the first n, for tests of the form.
std::vector<Record> count_misses(const Claim&, bool first_only = false);

/// The misses along each range, and those of Claim::others.
struct Experiment {
  std::vector<Misses> n, z, l, others;
};

/// The experiment of a claim from its records; settings without a record are left out.
Experiment experiment_from(const Claim&, std::span<const Record* const>);
/// Counts all misses of a claim.
Experiment run_experiment(const Claim&);

/// The exponents in n, Z and L of `value` along each range. Throws what fit_power_law throws.
Setting fit_exponents(const Experiment&, double (*value)(const Misses&));

/// The minimum and the maximum of a value over an experiment.
struct Spread {
  double min, max;
};
/// Of measured / formula.
Spread spread_of_ratios(const Experiment&);
/// Of the constant of a leading term with these exponents: measured / (n^e z^f l^g).
Spread spread_of_constants(const Experiment&, const Setting& exponents);

}  // namespace tallcache
