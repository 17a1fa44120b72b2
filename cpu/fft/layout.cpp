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

Index round_up(Index n, Index to) { return ceil_div(n, to) * to; }

bool is_one_of(std::span<const int> sizes, Index n) { return std::ranges::find(sizes, n) != sizes.end(); }

std::vector<Index> divisors_of(Index n) {
  std::vector<Index> divisors{1};
  Index left = n;
  for (const Index prime : {2, 3, 5, 7, 11, 13}) {
    const std::size_t before = divisors.size();
    for (Index power = prime; left % prime == 0; power *= prime, left /= prime)
      for (std::size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * power);
  }
  std::erase_if(divisors, [&](Index d) { return d == 1 || d == n; });
  return divisors;
}

// Close to the square root, and with few lanes that are empty.
Index columns_of(Index n, Index lanes) {
  const auto cost = [&](Index n1) {
    const Index n2 = n / n1;
    if (n1 > n2) return std::numeric_limits<double>::infinity();
    const double empty = static_cast<double>(round_up(n1, lanes)) / static_cast<double>(n1) *
                         static_cast<double>(round_up(n2, lanes)) / static_cast<double>(n2);
    return empty * (4 + std::log2(static_cast<double>(n2) / static_cast<double>(n1)));
  };
  const std::vector<Index> divisors = divisors_of(n);
  return *std::ranges::min_element(divisors, {}, cost);
}

// What follows counts instructions, about (TUNING.md).
constexpr double of_a_call = 80, of_a_long_vector = 1.25;

double of_arithmetic(int radix) {
  const int n1 = columns_of_codelet(radix), n2 = radix / n1;
  if (n1 > 1) return n2 * of_arithmetic(n1) + n1 * of_arithmetic(n2) + 4 * (n1 - 1) * (n2 - 1);
  return radix == 8 ? 52 : radix % 2 == 0 ? radix * radix : radix * (radix + 2.5);
}

// Of a codelet over vectors: arithmetic, loads, stores, vectors that find no register, addresses.
double of_butterfly(int radix, int registers) {
  const int moved = std::max(2 * radix + 4 - registers, 0), addresses = std::max(radix - 8, 0);
  return of_arithmetic(radix) + 4 * radix + 10 + 8 * moved + 6 * addresses;
}

// A vector of transforms of the passes' size, with roots.
double of_passes(const Passes& passes, int registers) {
  double all = 0;
  for (int i = 0; i < passes.count; ++i) {
    const int radix = passes.radix[i];
    all += of_a_call +
           static_cast<double>(passes.size / radix) * (of_butterfly(radix, registers) + 5 * (radix - 1));
  }
  return all;
}

// Columns and rows, and between them twiddles and transpositions of squares.
double of_layout(const Layout& l, int registers) {
  if (l.kind == Layout::Kind::whole) return of_butterfly(static_cast<int>(l.n), registers);
  const auto count = [](Index number) { return static_cast<double>(number); };
  const double columns = count(ceil_div(l.n2, l.lanes)), rows = count(ceil_div(l.n1, l.lanes)),
               n1 = count(l.n1);
  const double lanes = count(l.lanes), squares = columns * rows * lanes * (2 * std::log2(lanes));
  const double first = l.kind == Layout::Kind::split
                           ? of_butterfly(static_cast<int>(l.n1), registers) + 8 * n1
                           : of_passes(l.columns, registers) + 20 * n1;
  // Without masks the numbers of a vector that is not full are copied one by one.
  const bool masks = registers > 16;
  const double copied = masks ? 0 : (l.n1 % l.lanes ? count(l.n2) : 0) + (l.n2 % l.lanes ? n1 : 0);
  return 2 * of_a_call + columns * first + squares + rows * (of_passes(l.rows, registers) - 3 * count(l.n2)) +
         25 * copied;
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

Index Passes::groups(int taken) const {
  Index all = 1;
  for (int i = 0; i < taken; ++i) all *= radix[i];
  return all;
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
  const auto twos = [&] { return std::countr_zero(static_cast<std::size_t>(size)); };
  if (twos() == 1) take(2);
  // Radix 8 has fewer passes for no more instructions, and the fewest where it is the last (TUNING.md).
  while (twos() % 3) take(4);
  while (size > 1) take(8);
  return passes;
}

Index Layout::split_roots() const { return kind == Kind::split ? (n1 - 1) * round_up(n2, lanes) : 0; }

Index Layout::buffer() const { return kind == Kind::blocks ? width * std::max(padded_rows(), n2) : 0; }

namespace {

// Whether the rows whose passes are done in a first-level cache lie a multiple of 2 KB apart in the output,
// so that their lines share few of its sets (TUNING.md).
bool shares_few_sets(const Layout& l, Index bytes) {
  Index size = l.n2, step = 1;
  for (int i = 0; i < l.rows.count - 1 && size * l.width * bytes > whole_block_bytes; ++i)
    step *= l.rows.radix[i], size /= l.rows.radix[i];
  return step > 1 && step * l.n1 * bytes % 2048 == 0;
}

Layout divided(Layout::Kind kind, Index n, Index n1, Index lanes, Index element_bytes) {
  Layout layout{.kind = kind, .n = n, .n1 = n1, .n2 = n / n1, .lanes = lanes};
  if (kind == Layout::Kind::split)
    layout.width = 2 * n * element_bytes <= whole_block_bytes ? round_up(n1, lanes) : lanes;
  else
    layout.width = layout.n2 < 8 ? lanes : std::max<Index>(lanes, 8);
  layout.columns = passes_of(layout.n1);
  layout.rows = passes_of(layout.n2);
  layout.block = layout.width * round_up(layout.n2, layout.width);
  layout.sweeps = kind == Layout::Kind::split && shares_few_sets(layout, 2 * element_bytes);
  return layout;
}

}  // namespace

Layout layout_of(Index n, Index element_bytes, std::span<const Index> lanes, Index base) {
  const Layout whole{.n = n, .lanes = lanes[0]};
  if (n == 1) return whole;
  // AVX-512 has 32.
  const int registers = lanes[0] * element_bytes > 32 ? 32 : 16;
  std::vector<Layout> layouts;
  if (is_one_of(whole_sizes, n)) layouts.push_back(whole);
  if (n <= base / (2 * element_bytes))
    for (const Index n1 : divisors_of(n))
      for (const Index of_vector : lanes)
        if (is_one_of(radices, n1))
          layouts.push_back(divided(Layout::Kind::split, n, n1, of_vector, element_bytes));
  if (!is_one_of(whole_sizes, n))
    layouts.push_back(divided(Layout::Kind::blocks, n, columns_of(n, lanes[0]), lanes[0], element_bytes));
  return *std::ranges::min_element(layouts, {}, [&](const Layout& l) {
    const bool is_long = l.lanes * element_bytes > 32 && l.kind != Layout::Kind::whole;
    return of_layout(l, registers) * (is_long ? of_a_long_vector : 1);
  });
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
