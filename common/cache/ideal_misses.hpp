// The misses that theory predicts in the (Z, L) ideal cache of the slides (M5), and the formulas that several
// variants share. A variant states which is its own: predicted_misses (common/variant.hpp). Where the usual
// formula assumes that the data exceed the cache, each case that fits has a formula of its own.
#pragma once

#include <string>

#include "common/named.hpp"

namespace tallcache::cache {

/// Z words of fully associative cache in lines of L words.
struct IdealCache {
  double Z, L;
};

struct Prediction {
  double misses;
  std::string formula;  ///< of the case of (Z, L), and its condition
  bool order = false;   ///< Theta or O, with a constant of 1
};

/// Both, one after the other.
Prediction operator+(const Prediction&, const Prediction&);

/// Of C (m x n) = A (m x k) B (k x n).
struct ProductSizes {
  double m, n, k;
};
/// Those of the shape of a product.
ProductSizes product_sizes(const Shape&);

/// Three nested loops, k innermost. The slides (M5, "Cache complexity of the naive and tiled matrix
/// multiplications") assume that neither a row nor a column stays in the cache. Where they do, there are
/// fewer misses.
Prediction product_misses(IdealCache, ProductSizes);

/// The same with the second factor already transposed.
Prediction product_of_rows_misses(IdealCache, ProductSizes);

/// The loops over tiles: each tile product has the misses of its own matrices, which are `inner`.
Prediction tiled_product_misses(IdealCache, ProductSizes, const Params& tile,
                                Prediction (*inner)(IdealCache, ProductSizes));

/// `product` is of A and the rows of B^T, which are copied from B first.
Prediction transposed_product_misses(IdealCache, ProductSizes, const Prediction& product);

/// The cache-oblivious product (M7), which does not care how B is stored.
Prediction recursive_product_misses(IdealCache, ProductSizes);

/// One matrix is scanned along rows of `row` elements, the other down columns of `row` lines.
Prediction transposition_misses(IdealCache, double elements, double row);

/// A counting sort of `n` keys among `k` values (M5, "Counting sort: cache complexity analysis"). With a
/// payload, the placing pass reads and writes one more word for each key.
Prediction counting_misses(IdealCache, double n, double k, bool payload);

/// A sort of `n` keys by merging two runs at a time.
Prediction merge_sort_misses(IdealCache, double n);
/// The optimal sort of `n` keys (Aggarwal, Vitter, "The input/output complexity of sorting and related
/// problems", 1988), which funnelsort is without knowing Z.
Prediction optimal_sort_misses(IdealCache, double n);

/// A sort that distributes its keys to up to `parts` parts at a time; a line of each fits.
Prediction distribution_misses(IdealCache, double n, double parts);

}  // namespace tallcache::cache
