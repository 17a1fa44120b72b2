// Sabotage: a variant that is wrong in one way is rejected by the verification that the other tests, the
// benches and the program rely on, and its honest twin is not.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <utility>

#include "common/ops/bfs.hpp"
#include "common/ops/copy.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/edit_distance.hpp"
#include "common/ops/fft.hpp"
#include "common/ops/fib.hpp"
#include "common/ops/gemv.hpp"
#include "common/ops/grained_transpose.hpp"
#include "common/ops/increment.hpp"
#include "common/ops/lu.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/matmul_bt.hpp"
#include "common/ops/sort.hpp"
#include "common/ops/transpose.hpp"
#include "common/variant_text.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

// The operations by their definitions.
template <class T>
void solve(Matmul<T>, const auto& args) {
  zero(args.c);
  for (Index i = 0; i < args.c.rows; ++i)
    for (Index l = 0; l < args.a.cols; ++l)
      for (Index j = 0; j < args.c.cols; ++j) args.c(i, j) += args.a(i, l) * args.b(l, j);
}
template <class T>
void solve(Transpose<T>, const auto& args) {
  for (Index i = 0; i < args.a.rows; ++i)
    for (Index j = 0; j < args.a.cols; ++j) args.b(j, i) = args.a(i, j);
}
template <class T>
void solve(TransposeInPlace<T>, const auto& args) {
  for (Index i = 0; i < args.a.rows; ++i)
    for (Index j = 0; j < i; ++j) std::swap(args.a(i, j), args.a(j, i));
}
template <class T>
void solve(Copy<T>, const auto& args) {
  for (Index i = 0; i < args.a.rows; ++i)
    for (Index j = 0; j < args.a.cols; ++j) args.b(i, j) = args.a(i, j);
}
template <class T>
void solve(MatmulBt<T>, const auto& args) {
  zero(args.c);
  for (Index i = 0; i < args.c.rows; ++i)
    for (Index j = 0; j < args.c.cols; ++j)
      for (Index l = 0; l < args.a.cols; ++l) args.c(i, j) += args.a(i, l) * args.bt(j, l);
}
// Tile by tile, cut ones as they are.
template <class T>
void solve(FineGrained<T>, const auto& args) {
  solve(Copy<T>{}, args);
  for (Index i = 0; i + 32 <= args.a.rows; i += 32)
    for (Index j = 0; j + 32 <= args.a.cols; j += 32)
      solve(Transpose<T>{},
            typename Copy<T>::template Args<>{args.b.block(i, j, 32, 32), args.a.block(i, j, 32, 32), {}});
}
template <class T>
void solve(CoarseGrained<T>, const auto& args) {
  solve(Transpose<T>{}, args);
  for (Index i = 0; i + 32 <= args.a.rows; i += 32)
    for (Index j = 0; j + 32 <= args.a.cols; j += 32)
      solve(Copy<T>{},
            typename Copy<T>::template Args<>{args.b.block(j, i, 32, 32), args.a.block(i, j, 32, 32), {}});
}
// Sorts by `less(i, j)` on positions of the input.
void place(const auto& args, auto less) {
  std::vector<Index> order(args.in.size);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, less);
  for (Index i = 0; i < args.in.size; ++i) {
    args.out[i] = args.in[order[i]];
    if (args.payload_out.size) args.payload_out[i] = args.payload_in[order[i]];
  }
}
template <bool payload>
void solve(CountingSort<payload>, const auto& args) {
  place(args, [&](Index i, Index j) { return args.in[i] < args.in[j]; });
}
template <class T, bool pivoting>
void solve(LuDecomposition<T, pivoting>, const auto& args) {
  const auto& a = args.a;
  for (Index k = 0; k < a.rows; ++k) {
    if constexpr (pivoting) {
      Index pivot = k;
      for (Index i = k; i < a.rows; ++i)
        if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
      args.exchanges[k] = static_cast<std::int32_t>(pivot);
      for (Index j = 0; j < a.cols; ++j) std::swap(a(k, j), a(pivot, j));
    }
    for (Index i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (Index j = k + 1; j < a.cols; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
}
void solve(Sort, const auto& args) { std::ranges::sort(args.keys.data, args.keys.data + args.keys.size); }
void solve(Fib, const auto& args) {
  std::uint64_t next = 1;
  args.out[0] = 0;
  for (Index i = 0; i < args.n; ++i) args.out[0] = std::exchange(next, args.out[0] + next);
}
void solve(EditDistance, const auto& args) {
  for (Index i = 0; i < args.out.rows; ++i)
    for (Index j = 0; j < args.out.cols; ++j)
      args.out(i, j) = static_cast<std::int32_t>(
          i == 0   ? j
          : j == 0 ? i
                   : std::min({args.out(i - 1, j) + 1, args.out(i, j - 1) + 1,
                               args.out(i - 1, j - 1) + (args.a[i - 1] != args.b[j - 1])}));
}
// Relaxing every edge until nothing changes (Bellman and Ford).
void solve(Bfs, const auto& args) {
  const auto n = static_cast<std::int32_t>(args.out.size);
  std::fill_n(args.out.data, n, n);
  args.out[args.source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int32_t u = 0; u < n; ++u)
      for (Index e = args.offset[u]; e < args.offset[u + 1]; ++e)
        if (auto& level = args.out[args.target[e]]; args.out[u] + 1 < level) {
          level = args.out[u] + 1;
          changed = true;
        }
  }
  std::replace(args.out.data, args.out.data + n, n, unreached);
}
// By halves, with a twiddle of its own for each butterfly.
std::vector<std::complex<double>> transform(const std::vector<std::complex<double>>& in) {
  const std::size_t n = in.size();
  if (n == 1) return in;
  std::vector<std::complex<double>> halves[2], out(n);
  for (std::size_t i = 0; i < n; ++i) halves[i % 2].push_back(in[i]);
  const auto even = transform(halves[0]), odd = transform(halves[1]);
  for (std::size_t k = 0; k < n; ++k)
    out[k] = even[k % (n / 2)] + std::polar(1.0, -2 * std::numbers::pi * k / n) * odd[k % (n / 2)];
  return out;
}
void solve(Fft, const auto& args) {
  const auto out = transform({args.in.data, args.in.data + args.in.size});
  std::ranges::copy(out, args.out.data);
}

// What an operation writes and reads first.
const auto& output(const auto& args) {
  if constexpr (requires { args.out; })
    return args.out;
  else if constexpr (requires { args.c; })
    return args.c;
  else if constexpr (requires { args.b; })
    return args.b;
  else if constexpr (requires { args.keys; })
    return args.keys;
  else
    return args.a;
}
const auto& input(const auto& args) {
  if constexpr (requires { args.in; })
    return args.in;
  else if constexpr (requires { args.target; })
    return args.target;
  else
    return args.a;
}
template <class Op>
using Element =
    typename std::remove_cvref_t<decltype(output(std::declval<detail::ArgsOf<Op>>()))>::value_type;
Index extent(const auto& view) {
  if constexpr (requires { view.ld; })
    return view.rows * view.ld;
  else
    return view.size;
}

struct honest {
  static void run(auto op, const auto& args) { solve(op, args); }
};
struct no_op {
  static void run(auto, const auto&) {}
};
struct all_zero {
  static void run(auto, const auto& args) {
    const auto& out = output(args);
    if constexpr (requires { out.ld; })
      zero(out);
    else
      for (Index i = 0; i < out.size; ++i) out[i] = {};
  }
};
struct changes_input {
  static constexpr std::string_view where = "input";
  static void run(auto op, const auto& args) {
    solve(op, args);
    using Value = typename std::remove_cvref_t<decltype(input(args))>::value_type;
    auto* data = const_cast<Value*>(input(args).data);
    data[0] = static_cast<Value>(data[0] + Value{1});
  }
};
struct writes_before {
  static constexpr std::string_view where = "around";
  static void run(auto op, const auto& args) {
    solve(op, args);
    output(args).data[-1] = {};
  }
};
struct writes_behind {
  static constexpr std::string_view where = "around";
  static void run(auto op, const auto& args) {
    solve(op, args);
    output(args).data[extent(output(args))] = {};
  }
};
// Right once, and never again.
struct stale {
  static void run(auto op, const auto& args) {
    static bool first = true;
    if (first) solve(op, args);
    first = !first;
  }
};

// Of matrices.
struct indices_swapped {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    std::vector<Element<decltype(op)>> copy(extent(out));
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = 0; j < out.cols; ++j) copy[i * out.cols + j] = out(i, j);
    for (Index i = 0; i < out.rows; ++i)
      for (Index j = 0; j < out.cols; ++j) out(i, j) = copy[(j % out.rows) * out.cols + i % out.cols];
  }
};
template <bool row>
struct last_line_missing {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    const auto block =
        row ? out.block(out.rows - 1, 0, 1, out.cols) : out.block(0, out.cols - 1, out.rows, 1);
    std::vector<Element<decltype(op)>> before;
    for (Index i = 0; i < block.rows; ++i)
      for (Index j = 0; j < block.cols; ++j) before.push_back(block(i, j));
    solve(op, args);
    for (Index i = 0; i < block.rows; ++i)
      for (Index j = 0; j < block.cols; ++j) block(i, j) = before[i + j];
  }
};
// The element of the greatest magnitude, away from every border where there is room.
template <int amount>
struct one_element {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    const Index border = std::min(out.rows, out.cols) > 8 ? 2 : 0;
    auto* largest = &out(border, border);
    for (Index i = border; i < out.rows - border; ++i)
      for (Index j = border; j < out.cols - border; ++j)
        if (std::abs(out(i, j)) > std::abs(*largest)) largest = &out(i, j);
    using T = Element<decltype(op)>;
    if constexpr (tallcache::Element<T>::is_exact)
      *largest += 1;
    else
      *largest =
          amount == 0 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(*largest * (1 + 1.0 / amount));
  }
};
using one_nan = one_element<0>;
using one_off_by_a_twentieth = one_element<20>;
using one_off_by_a_thousandth = one_element<1000>;
struct writes_padding {
  static constexpr std::string_view where = "padding";
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    out.data[(out.rows - 1) * out.ld + out.ld - 1] = {};
  }
};
struct inner_one_short {
  static void run(auto op, auto args) {
    --args.a.cols;
    solve(op, args);
  }
};
struct added_twice {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.c.rows; ++i)
      for (Index j = 0; j < args.c.cols; ++j) args.c(i, j) += args.c(i, j);
  }
};
struct column_swapped {  // keeps the sums along the rows
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto& out = output(args);
    for (Index i = 0; i < out.rows; ++i) std::swap(out(i, out.cols / 2), out(i, out.cols / 2 + 1));
  }
};

// Of sorts.
struct descending {
  static void run(auto op, const auto& args) {
    if constexpr (requires { args.in; }) {
      place(args, [&](Index i, Index j) { return args.in[i] > args.in[j]; });
    } else {
      solve(op, args);
      std::reverse(args.keys.data, args.keys.data + args.keys.size);
    }
  }
};
struct unstable {
  static constexpr std::string_view where = "payload";
  static void run(auto, const auto& args) {
    place(args, [&](Index i, Index j) { return args.in[i] != args.in[j] ? args.in[i] < args.in[j] : i > j; });
  }
};
struct unsorted_end {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    solve(op, args);
    Index other = out.size - 2;
    while (out[other] == out[out.size - 1]) --other;
    std::swap(out[other], out[out.size - 1]);
    if constexpr (requires { args.payload_out; })
      if (args.payload_out.size) std::swap(args.payload_out[other], args.payload_out[out.size - 1]);
  }
};
// The smaller of the middle keys twice, and a later one not at all: still sorted.
struct key_lost {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    solve(op, args);
    Index i = out.size / 2;
    while (out[i] == out[i - 1]) ++i;
    out[i] = out[i - 1];
    if constexpr (requires { args.payload_out; })
      if (args.payload_out.size) args.payload_out[i] = args.payload_out[i - 1];
  }
};
struct payload_duplicated {
  static constexpr std::string_view where = "payload";
  static void run(auto op, const auto& args) {
    solve(op, args);
    Index i = 1;
    while (args.out[i] != args.out[i - 1]) ++i;
    args.payload_out[i] = args.payload_out[i - 1];
  }
};
struct payload_foreign {
  static constexpr std::string_view where = "payload";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.payload_out[args.out.size / 2] = 1;  // of a position far behind the last
  }
};
struct payload_swapped {  // between two different keys
  static void run(auto op, const auto& args) {
    solve(op, args);
    std::swap(args.payload_out[0], args.payload_out[args.out.size - 1]);
  }
};
struct last_key_missing {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    const auto before = out[out.size - 1];
    solve(op, args);
    out[out.size - 1] = before;
  }
};
// Counts for [0, range) only: the largest key is counted as the one below it.
struct range_one_short {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.out.size; ++i) args.out[i] = std::min(args.out[i], args.range - 1);
  }
};
// Sorted, with the sum and the number of the keys right.
struct sum_kept {
  static void run(auto op, const auto& args) {
    const auto& out = output(args);
    solve(op, args);
    out[0] += 1;
    out[out.size - 1] -= 1;
    for (Index i = 1; i < out.size; ++i) out[i] = std::max(out[i], out[0]);
  }
};

// Of LU decompositions.
struct exchange_impossible {
  static constexpr std::string_view where = "exchange";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.exchanges[args.a.rows - 1] = static_cast<std::int32_t>(args.a.rows);
  }
};
struct exchanges_one_off {  // as LAPACK counts
  static constexpr std::string_view where = "exchange";
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.a.rows; ++i) ++args.exchanges[i];
  }
};
struct exchange_forgotten {
  static void run(auto op, const auto& args) {
    solve(op, args);
    Index i = args.a.rows / 2;
    while (args.exchanges[i] == i) ++i;
    args.exchanges[i] = static_cast<std::int32_t>(i);
  }
};
// A decomposition, but not the one with the greatest pivots.
template <class T>
struct pivots_not_chosen {
  static constexpr std::string_view where = "L(";
  static void run(auto, const auto& args) {
    solve(Lu<T>{}, args);
    for (Index i = 0; i < args.a.rows; ++i) args.exchanges[i] = static_cast<std::int32_t>(i);
  }
};
struct diagonal_one_off {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const Index i = args.a.rows / 2;
    args.a(i, i) *= 1.001f;
  }
};
// The factors in the wrong triangles.
struct factors_transposed {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.a.rows; ++i)
      for (Index j = 0; j < i; ++j) std::swap(args.a(i, j), args.a(j, i));
  }
};

// Of fib.
template <int amount>
struct fib_of_another {
  static void run(auto op, auto args) {
    args.n += amount;
    solve(op, args);
  }
};
struct truncated {  // to 32 bits
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[0] = static_cast<std::uint32_t>(args.out[0]);
  }
};

// Of tableaux.
struct substitutions_cost_two {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 1; i < args.out.rows; ++i)
      for (Index j = 1; j < args.out.cols; ++j)
        args.out(i, j) = std::min({args.out(i - 1, j) + 1, args.out(i, j - 1) + 1,
                                   args.out(i - 1, j - 1) + 2 * (args.a[i - 1] != args.b[j - 1])});
  }
};
struct strings_swapped {
  static void run(auto op, auto args) {
    const auto cut = [](auto string, Index size) {
      std::vector<std::uint8_t> letters(size, 'A');
      for (Index i = 0; i < std::min(size, string.size); ++i) letters[i] = string[i];
      return letters;
    };
    const auto a = cut(args.b, args.a.size), b = cut(args.a, args.b.size);
    args.a.data = a.data(), args.b.data = b.data();
    solve(op, args);
  }
};
struct one_letter_late {
  static void run(auto op, auto args) {
    std::vector<std::uint8_t> a(args.a.size + 1, 'A');
    for (Index i = 0; i < args.a.size; ++i) a[i] = args.a[i];
    args.a.data = a.data() + 1;
    solve(op, args);
  }
};
struct corner_off_by_one {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out(args.out.rows - 1, args.out.cols - 1) += 1;
  }
};
struct from_one {  // counts the empty prefix as a letter
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.out.rows; ++i)
      for (Index j = 0; j < args.out.cols; ++j) args.out(i, j) += 1;
  }
};

// Of levels. `vertex_at` is a vertex of the wanted kind.
Index vertex_at(const auto& args, auto kind) {
  Index v = args.out.size - 1;
  while (v >= 0 && !kind(v)) --v;
  EXPECT_GE(v, 0) << "a graph without a vertex of the kind";
  return v;
}
template <int amount>
struct one_level_off {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[vertex_at(args, [&](Index v) { return args.out[v] > 1; })] += amount;
  }
};
struct deepest_unreached {
  static void run(auto op, const auto& args) {
    solve(op, args);
    *std::max_element(args.out.data, args.out.data + args.out.size) = unreached;
  }
};
struct unreached_reached {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[vertex_at(args, [&](Index v) { return args.out[v] == unreached; })] = 1;
  }
};
struct all_unreached {
  static void run(auto, const auto& args) { std::fill_n(args.out.data, args.out.size, unreached); }
};
struct only_source_reached {
  static void run(auto op, const auto& args) {
    all_unreached::run(op, args);
    args.out[args.source] = 0;
  }
};
struct counted_from_one {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index v = 0; v < args.out.size; ++v) args.out[v] += args.out[v] != unreached;
  }
};
struct from_another_source {
  static void run(auto op, auto args) {
    args.source = static_cast<std::uint32_t>(args.out.size / 2);
    solve(op, args);
  }
};
struct one_level_only {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index v = 0; v < args.out.size; ++v) args.out[v] = std::min(args.out[v], 1);
  }
};
struct levels_doubled {  // no vertex has a parent
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index v = 0; v < args.out.size; ++v) args.out[v] *= args.out[v] > 0 ? 2 : 1;
  }
};
// As a search that takes a level for all reached: those that depth first finds are too deep.
struct depth_first {
  static void run(auto, const auto& args) {
    std::fill_n(args.out.data, args.out.size, unreached);
    std::vector<std::uint32_t> stack{args.source};
    args.out[args.source] = 0;
    while (!stack.empty()) {
      const auto u = stack.back();
      stack.pop_back();
      for (Index e = args.offset[u]; e < args.offset[u + 1]; ++e)
        if (auto& level = args.out[args.target[e]]; level == unreached) {
          level = args.out[u] + 1;
          stack.push_back(args.target[e]);
        }
    }
  }
};

// Of transforms.
struct inverse {
  static void run(auto op, const auto& args) {
    solve(op, args);
    std::reverse(args.out.data + 1, args.out.data + args.out.size);
  }
};
struct scaled {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k) args.out[k] /= std::sqrt(static_cast<double>(args.out.size));
  }
};
struct conjugated {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k) args.out[k] = std::conj(args.out[k]);
  }
};
struct bits_reversed {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k) {
      Index reversed = 0;
      for (Index bit = 1, other = args.out.size / 2; other; bit *= 2, other /= 2)
        reversed |= k & bit ? other : 0;
      if (k < reversed) std::swap(args.out[k], args.out[reversed]);
    }
  }
};
template <Index distance>
struct two_swapped {  // keeps the norm
  static void run(auto op, const auto& args) {
    solve(op, args);
    std::swap(args.out[args.out.size / 3], args.out[args.out.size / 3 + distance]);
  }
};
struct single_precision {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index k = 0; k < args.out.size; ++k)
      args.out[k] = std::complex<double>(std::complex<float>(args.out[k]));
  }
};
template <int part>  // of the rounding error of an honest one's bound: a wrong twiddle in the last
                     // butterflies
struct one_millionth_off {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[args.out.size / 2 + 1] *= part ? std::polar(1.0, 1e-5) : std::complex<double>(1 + 1e-6);
  }
};
template <int part>
struct one_complex_nan {
  static void run(auto op, const auto& args) {
    solve(op, args);
    auto& z = args.out[args.out.size - 1];
    const double nan = std::numeric_limits<double>::quiet_NaN();
    z = part ? std::complex<double>(z.real(), nan) : std::complex<double>(nan, z.imag());
  }
};

template <class Op, class Damage>
struct sabotaged {
  static constexpr std::string_view idea = "wrong in one way", source = "this test";
  using operations = OperationList<Op>;
  // Not over memory views: a sabotage does what it likes with the plain ones.
  static void call(const Launch&, const auto& args, const Params&) { Damage::run(Op{}, args); }
};

class Checker : public testing::Test {
 protected:
  template <class Op, class Damage>
  Check verdict(const Shape& shape, std::string_view kind, int runs = 1) {
    static constexpr auto records = variant_records<sabotaged<Op, Damage>>("sabotaged", "cpu", false);
    Workspace workspace({&operation_of<Op>, shape, kind}, *executor);
    for (int i = 1; i < runs; ++i) EXPECT_TRUE(workspace.verify({&records[0]}));
    return workspace.verify({&records[0]});
  }

  template <class Op, class... Damages>
  void rejected(const std::vector<Shape>& shapes, std::string_view kind) {
    for (const Shape& shape : shapes) {
      const auto where = to_string(operation_of<Op>, shape) + ", " + std::string(kind);
      const Check good = verdict<Op, honest>(shape, kind);
      EXPECT_TRUE(good) << Op::element << " " << where << ": " << good.message();
      (expect_wrong<Op, Damages>(verdict<Op, Damages>(shape, kind), where), ...);
      expect_wrong<Op, stale>(verdict<Op, stale>(shape, kind, 2), where);
    }
  }

  template <class Op, class Damage>
  void expect_wrong(const Check& check, const std::string& where) {
    EXPECT_FALSE(check) << typeid(Damage).name() << " passes as " << Op::name << " " << Op::element << " at "
                        << where;
    EXPECT_EQ(check.message().find('\n'), std::string::npos);
    if constexpr (requires { Damage::where; }) {
      EXPECT_NE(check.where.find(Damage::where), std::string::npos)
          << typeid(Damage).name() << ": " << check.message();
    }
  }

  template <class Op, class... More>
  void matrix_rejected(const std::vector<Shape>& shapes, std::string_view kind) {
    rejected<Op, no_op, all_zero, writes_before, writes_behind, indices_swapped, last_line_missing<true>,
             last_line_missing<false>, one_nan, writes_padding, column_swapped, More...>(shapes, kind);
  }

  const std::unique_ptr<Executor> executor = make_executor("cpu");
};

template <class T>
class MatrixChecker : public Checker {};
using Elements = testing::Types<double, float, std::int32_t>;
TYPED_TEST_SUITE(MatrixChecker, Elements);

TYPED_TEST(MatrixChecker, Matmul) {
  const auto shape = [](Index m, Index n, Index k, Index pad) -> Shape {
    return {{"m", m}, {"n", n}, {"k", k}, {"pad", pad}};
  };
  const std::vector<Shape> small{shape(5, 3, 7, 2), shape(33, 34, 35, 1), shape(129, 129, 129, 3),
                                 shape(64, 300, 40, 1)};
  // Beyond the number of products up to which every element has a reference.
  const std::vector<Shape> large{shape(270, 260, 250, 5), shape(500, 300, 150, 1)};
  using Op = Matmul<TypeParam>;
  for (const auto& shapes : {small, large})
    for (std::string_view kind : {"uniform", "integers"})
      this->template matrix_rejected<Op, changes_input, inner_one_short, added_twice, one_off_by_a_twentieth>(
          shapes, kind);
  for (std::string_view kind : {"uniform", "integers"})
    this->template rejected<Op, one_off_by_a_thousandth>(small, kind);
  // A row of a large float product has rounding errors of a thousandth of an element by right.
  this->template rejected<Op, one_off_by_a_thousandth>(large, "integers");
  if (!std::is_same_v<TypeParam, float>)
    this->template rejected<Op, one_off_by_a_thousandth>(large, "uniform");
}

TYPED_TEST(MatrixChecker, Transpose) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<Transpose<TypeParam>, changes_input, one_off_by_a_thousandth>(
        {{{"m", 5}, {"n", 4}, {"pad", 1}},
         {{"m", 64}, {"n", 65}, {"pad", 3}},
         {{"m", 700}, {"n", 900}, {"pad", 1}}},
        kind);
}

TYPED_TEST(MatrixChecker, TransposeInPlace) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<TransposeInPlace<TypeParam>, one_off_by_a_thousandth>(
        {{{"n", 5}, {"pad", 1}}, {{"n", 64}, {"pad", 3}}, {{"n", 700}, {"pad", 1}}}, kind);
}

TYPED_TEST(MatrixChecker, Copy) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<Copy<TypeParam>, changes_input, one_off_by_a_thousandth>(
        {{{"m", 5}, {"n", 4}, {"pad", 1}},
         {{"m", 64}, {"n", 65}, {"pad", 3}},
         {{"m", 700}, {"n", 900}, {"pad", 1}}},
        kind);
}

TYPED_TEST(MatrixChecker, MatmulBt) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<MatmulBt<TypeParam>, changes_input, inner_one_short,
                                   one_off_by_a_twentieth>(
        {{{"m", 5}, {"n", 3}, {"k", 7}, {"pad", 2}}, {{"m", 64}, {"n", 300}, {"k", 40}, {"pad", 1}}}, kind);
}

TYPED_TEST(MatrixChecker, GrainedTransposes) {
  const std::vector<Shape> shapes{{{"m", 5}, {"n", 4}, {"pad", 1}}, {{"m", 96}, {"n", 65}, {"pad", 3}}};
  for (std::string_view kind : {"uniform", "integers"}) {
    this->template matrix_rejected<FineGrained<TypeParam>, changes_input, one_off_by_a_thousandth>(shapes,
                                                                                                   kind);
    this->template matrix_rejected<CoarseGrained<TypeParam>, changes_input, one_off_by_a_thousandth>(shapes,
                                                                                                     kind);
  }
}

// The vectors: right, and wrong in one element, by a rounding error too many, by a NaN.
TYPED_TEST(MatrixChecker, Vectors) {
  using T = TypeParam;
  const auto wrong_in = [](std::vector<T>& result, auto&& check) {
    EXPECT_TRUE(check());
    for (std::size_t i : {std::size_t{0}, result.size() / 2, result.size() - 1}) {
      const T right = result[i];
      std::vector<T> wrongs{static_cast<T>(right + 1), static_cast<T>(right - 2)};
      if (!tallcache::Element<T>::is_exact) wrongs.push_back(std::numeric_limits<T>::quiet_NaN());
      for (T wrong : wrongs) {
        result[i] = wrong;
        EXPECT_FALSE(check()) << "element " << i << " is " << wrong << " instead of " << right;
      }
      result[i] = right;
    }
  };
  for (std::string_view kind : {"uniform", "integers"}) {
    const Shape sum{{"n", 101}};
    std::vector<T> a(101);
    std::byte* const of_sum[] = {reinterpret_cast<std::byte*>(a.data())};
    Increment<T>::fill(sum, kind, 1, of_sum);
    const auto increment = Increment<T>::bind(sum, of_sum, {});
    for (T& element : a) element = element + increment.b;
    wrong_in(a, [&] { return static_cast<bool>(Increment<T>::check(sum, kind, 1, increment)); });

    const Shape product{{"m", 33}, {"n", 65}, {"pad", 3}};
    std::vector<T> y(33), matrix(33 * 68), x(65);
    std::byte* const of_product[] = {reinterpret_cast<std::byte*>(y.data()),
                                     reinterpret_cast<std::byte*>(matrix.data()),
                                     reinterpret_cast<std::byte*>(x.data())};
    Gemv<T>::fill(product, kind, 1, of_product);
    const auto gemv = Gemv<T>::bind(product, of_product, {});
    for (Index i = 0; i < 33; ++i) {
      y[i] = 0;
      for (Index j = 0; j < 65; ++j) y[i] += gemv.a(i, j) * x[j];
    }
    wrong_in(y, [&] { return static_cast<bool>(Gemv<T>::check(product, kind, 1, gemv)); });
  }
}

template <class T>
class LuChecker : public Checker {};
using FloatingElements = testing::Types<double, float>;
TYPED_TEST_SUITE(LuChecker, FloatingElements);

// Both sides of the size from which on rows are multiplied by a random vector.
TYPED_TEST(LuChecker, WithoutPivoting) {
  this->template matrix_rejected<Lu<TypeParam>, factors_transposed, diagonal_one_off>(
      {{{"n", 5}, {"pad", 1}}, {{"n", 129}, {"pad", 3}}, {{"n", 530}, {"pad", 1}}}, "dominant");
}

TYPED_TEST(LuChecker, WithPivoting) {
  using Op = LuPivot<TypeParam>;
  for (std::string_view kind : {"uniform", "zero_diagonal", "graded"}) {
    this->template matrix_rejected<Op, factors_transposed, exchange_impossible, exchanges_one_off,
                                   exchange_forgotten>(
        {{{"n", 10}, {"pad", 1}}, {{"n", 129}, {"pad", 3}}, {{"n", 530}, {"pad", 1}}}, kind);
    this->template rejected<Op, diagonal_one_off>({{{"n", 10}, {"pad", 1}}, {{"n", 129}, {"pad", 3}}}, kind);
  }
  this->template rejected<Op, pivots_not_chosen<TypeParam>>(
      {{{"n", 10}, {"pad", 1}}, {{"n", 129}, {"pad", 3}}}, "uniform");
}

const std::vector<Shape> key_shapes{
    {{"n", 100}, {"range", 60}}, {{"n", 4097}, {"range", 4097}}, {{"n", 200003}, {"range", 1 << 20}}};

TEST_F(Checker, CountingSort) {
  for (std::string_view kind : {"uniform", "max_key", "zipf_1.0"})
    rejected<CountingSort<false>, no_op, all_zero, changes_input, writes_before, writes_behind, descending,
             unsorted_end, key_lost, last_key_missing, sum_kept>(key_shapes, kind);
  rejected<CountingSort<false>, range_one_short>(key_shapes, "max_key");
}

TEST_F(Checker, CountingSortOfPairs) {
  for (std::string_view kind : {"uniform", "max_key", "zipf_1.0"})
    rejected<CountingSort<true>, no_op, all_zero, changes_input, writes_before, writes_behind, descending,
             unsorted_end, key_lost, last_key_missing, sum_kept, unstable, payload_duplicated,
             payload_foreign, payload_swapped>(key_shapes, kind);
  rejected<CountingSort<true>, range_one_short>(key_shapes, "max_key");
  rejected<CountingSort<true>, unstable, payload_duplicated>(key_shapes, "two_values");
}

TEST_F(Checker, Sort) {
  for (std::string_view kind : {"uniform", "max_key", "shuffled"})
    rejected<Sort, no_op, all_zero, writes_before, writes_behind, descending, unsorted_end, key_lost,
             sum_kept>({{{"n", 100}}, {{"n", 4097}}, {{"n", 200003}}}, kind);
}

TEST_F(Checker, Fib) {
  rejected<Fib, no_op, all_zero, writes_before, writes_behind, fib_of_another<1>, fib_of_another<-1>>(
      {{{"n", 3}}, {{"n", 20}}, {{"n", 47}}, {{"n", 92}}}, "none");
  rejected<Fib, truncated>({{{"n", 48}}, {{"n", 92}}}, "none");
}

TEST_F(Checker, EditDistance) {
  const std::vector<Shape> shapes{{{"m", 77}, {"n", 67}}, {{"m", 64}, {"n", 65}}, {{"m", 200}, {"n", 129}}};
  for (std::string_view kind : {"random", "similar"})
    rejected<EditDistance, no_op, all_zero, changes_input, writes_before, writes_behind, indices_swapped,
             last_line_missing<true>, last_line_missing<false>, one_off_by_a_twentieth, column_swapped,
             substitutions_cost_two, strings_swapped, one_letter_late, corner_off_by_one, from_one>(shapes,
                                                                                                    kind);
}

TEST_F(Checker, Bfs) {
  const std::vector<Shape> shapes{{{"vertices", 100}, {"edges", 300}}, {{"vertices", 2000}, {"edges", 7000}}};
  for (std::string_view kind : {"random", "power_law", "grid"})
    rejected<Bfs, no_op, all_zero, changes_input, writes_before, writes_behind, one_level_off<1>,
             one_level_off<-1>, deepest_unreached, all_unreached, only_source_reached, counted_from_one,
             from_another_source, one_level_only, levels_doubled, depth_first>(shapes, kind);
  for (std::string_view kind : {"random", "power_law"}) rejected<Bfs, unreached_reached>(shapes, kind);
  rejected<Bfs, one_level_off<1>, one_level_off<-1>, deepest_unreached, levels_doubled, from_another_source>(
      {{{"vertices", 97}, {"edges", 192}}}, "path");
  rejected<Bfs, only_source_reached, from_another_source, counted_from_one>(
      {{{"vertices", 97}, {"edges", 192}}}, "star");
}

TEST_F(Checker, Fft) {
  // Each output has a reference; then sums over them.
  rejected<Fft, no_op, all_zero, changes_input, writes_before, writes_behind, inverse, scaled, conjugated,
           bits_reversed, two_swapped<1>, two_swapped<8>, single_precision, one_millionth_off<0>,
           one_millionth_off<1>, one_complex_nan<0>, one_complex_nan<1>>(
      {{{"n", 16}}, {{"n", 256}}, {{"n", 1024}}, {{"n", 2048}}, {{"n", 1 << 15}}}, "uniform");
  rejected<Fft, no_op, all_zero, inverse, scaled, conjugated, two_swapped<1>, one_complex_nan<0>>(
      {{{"n", 64}}, {{"n", 4096}}}, "impulse");
  rejected<Fft, no_op, all_zero, inverse, scaled, one_complex_nan<1>>({{{"n", 64}}, {{"n", 4096}}}, "tone");
}

}  // namespace
}  // namespace tallcache::test
