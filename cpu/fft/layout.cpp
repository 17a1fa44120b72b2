#include "cpu/fft/layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "cpu/fft/fft_leaves.hpp"

namespace tallcache::cpu::fft {
namespace {

// A split transform whose block of rows is as large stays in a first-level cache.
constexpr Index whole_block_bytes = 16 << 10;
constexpr int most_fours = 8;  // lg of the largest power of two that is transformed by radix 4

Index round_up(Index n, Index to) { return (n + to - 1) / to * to; }

bool is_codelet(Index n) { return n == 1 || std::ranges::find(radices, n) != std::end(radices); }

// Close to the square root, and with few lanes that are empty.
Index columns_of(Index n, Index lanes) {
  const auto cost = [&](Index n1) {
    const Index n2 = n / n1;
    const double empty = static_cast<double>(round_up(n1, lanes)) / static_cast<double>(n1) *
                         static_cast<double>(round_up(n2, lanes)) / static_cast<double>(n2);
    return empty *
           (4 + std::log2(static_cast<double>(std::max(n1, n2)) / static_cast<double>(std::min(n1, n2))));
  };
  std::vector<Index> divisors{1};
  Index left = n;
  for (const Index prime : {2, 3, 5, 7, 11, 13}) {
    const std::size_t before = divisors.size();
    for (Index power = prime; left % prime == 0; power *= prime, left /= prime)
      for (std::size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * power);
  }
  std::erase_if(divisors, [&](Index d) { return d == 1 || d > n / d; });
  return *std::ranges::min_element(divisors, {}, cost);
}

}  // namespace

Index Passes::roots() const {
  Index total = 0, left = size;
  for (int i = 0; i < count; ++i) {
    left /= radix[i];
    total += (radix[i] - 1) * left;
  }
  return total;
}

bool is_smooth(Index n) {
  for (const Index prime : {2, 3, 5, 7, 11, 13})
    while (n > 1 && n % prime == 0) n /= prime;
  return n == 1;
}

Passes passes_of(Index size) {
  Passes passes{.size = size};
  const auto take = [&](int radix) {
    passes.radix[passes.count++] = static_cast<unsigned char>(radix);
    size /= radix;
  };
  for (const int odd : {13, 11, 7, 5, 3})
    while (size % odd == 0) take(odd);
  const int twos = std::countr_zero(static_cast<std::size_t>(size));
  if (twos == 1) take(2);
  // Radix 4 needs no more registers than there are; radix 8 has fewer passes over a buffer that is in no
  // first-level cache (TUNING.md).
  const int eights = twos <= most_fours ? twos % 2 : (twos - (twos % 3 == 1 ? 4 : twos % 3 == 2 ? 2 : 0)) / 3;
  for (int i = 0; i < eights && twos > 1; ++i) take(8);
  while (size > 1) take(4);
  return passes;
}

Index Layout::split_roots() const { return kind == Kind::split ? (n1 - 1) * round_up(n2, lanes) : 0; }

Index Layout::buffer() const {
  if (kind == Kind::whole) return 0;
  return width * (kind == Kind::split ? n2 : std::max(padded_rows(), n2));
}

Layout layout_of(Index n, Index element_bytes, Index lanes, Index base) {
  Layout layout{.n = n, .lanes = lanes};
  if (is_codelet(n)) return layout;
  const Index radix = 8 % lanes == 0 ? 8 : 16;
  if (n <= base && radix % lanes == 0 && n % radix == 0 && n / radix >= lanes) {
    layout.kind = Layout::Kind::split;
    layout.n1 = radix;
    layout.width = 2 * n * element_bytes <= whole_block_bytes ? radix : lanes;
  } else {
    layout.kind = Layout::Kind::blocks;
    layout.n1 = columns_of(n, lanes);
    layout.width = n / layout.n1 < 8 ? lanes : std::max<Index>(lanes, 8);
  }
  layout.n2 = n / layout.n1;
  layout.columns = passes_of(layout.n1);
  layout.rows = passes_of(layout.n2);
  // Not a power of two: the same place of all blocks would share few sets of a cache.
  const Index padding = layout.kind == Layout::Kind::blocks ? 4 * std::max<Index>(lanes, 4) : 0;
  layout.block = layout.width * round_up(layout.n2, layout.width) + padding;
  return layout;
}

Index smooth_size(Index least) {
  // Between the powers of two lie others with radices that are nearly as fast.
  const Index power = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(least)));
  for (const Index eighths : {8, 9, 10, 12, 14, 15})
    if (power >= 64 && power / 8 * eighths >= least) return power / 8 * eighths;
  return power < least ? 2 * power : power;
}

Index chirp_size(Index n) {
  if (n > std::numeric_limits<Index>::max() / 8)
    throw Error("fft: the size " + std::to_string(n) + " overflows");
  return smooth_size(2 * n - 1);
}

}  // namespace tallcache::cpu::fft
