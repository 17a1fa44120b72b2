// Leaves: texts on vectors, whose accesses go through the access policy. What they say under Traced is
// exactly what they load and store.
#include "tests/leaf.hpp"

#include <gtest/gtest.h>

#include "common/random.hpp"
#include "cpu/matmul/register_kernel.hpp"
#include "cpu/matmul/tile_product.hpp"
#include "cpu/transpose/streaming_kernel.hpp"
#include "tests/each_target.hpp"
#include "tests/model_tiles.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::matmul;
using namespace cpu::transpose;
using tallcache::test::Leaf;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}
  Index in(Index min, Index max) {
    return min + static_cast<Index>(random_up_to(seed_, at_++, static_cast<std::uint64_t>(max - min)));
  }
  /// Random numbers of either sign in [0.25, 0.5), as bytes.
  template <class T>
  std::vector<std::byte> numbers(Index count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) {
      const float magnitude = 0.25f + 0.25f * static_cast<float>(in(0, 127)) / 128;
      value = T(in(0, 1) ? magnitude : -magnitude);
    }
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::uint64_t seed_, at_ = 0;
};

template <class T>
struct Case {
  const RegisterKernel<T>& kernel;
  Index m, n, k, pad;
  bool a_packed, b_packed;
  SumOf<T> alpha, beta;

  Index panels_m() const { return ceil_div(m, kernel.mr); }
  Index panels_n() const { return ceil_div(n, kernel.nr); }
  Index steps() const { return kernel.packed_k(k); }
};

template <class T>
Case<T> draw_case(Draw& draw, const RegisterKernel<T>& kernel) {
  Case<T> x{kernel,
            draw.in(1, 2 * kernel.mr + 1),
            draw.in(1, 2 * kernel.nr + 1),
            draw.in(1, 9),
            draw.in(0, 3),
            true,
            true,
            1,
            SumOf<T>(draw.in(0, 2)) / 2};
  if (kernel.k_group == 1) {
    x.a_packed = draw.in(0, 1);
    x.b_packed = draw.in(0, 1) || (!kernel.masked && x.n % kernel.lanes != 0);
  }
  if (draw.in(0, 1)) x.alpha = SumOf<T>(0.75);
  return x;
}

/// Packs `size` rows of `k` steps, in panels of `width`. `rows`: the steps of a row are contiguous.
template <class T>
Leaf pack_leaf(Draw& draw, const Case<T>& x, bool of_a, bool rows) {
  const Index size = of_a ? x.m : x.n, width = of_a ? x.kernel.mr : x.kernel.nr;
  const Index ld = (rows ? x.k : size) + x.pad;
  const Index elements = rows ? (size - 1) * ld + x.k : (x.k - 1) * ld + size;
  const auto run = [&kernel = x.kernel, of_a, rows, width, size, k = x.k, ld](const auto& at, auto access) {
    const auto& text = kernel.text.under(access);
    (of_a ? text.pack_a : text.pack_b)(reinterpret_cast<T*>(at[1]), width, size, k,
                                       reinterpret_cast<const T*>(at[0]), rows ? ld : 1, rows ? 1 : ld,
                                       access);
  };
  return {{{sizeof(T), draw.numbers<T>(elements)},
           {sizeof(T), draw.numbers<T>(ceil_div(size, width) * width * x.steps())}},
          run,
          run};
}

/// Zeros that are packed beyond the matrix are loaded for sums that nobody stores.
template <class T>
Region packed(const Case<T>& x, bool of_a, const std::vector<std::byte>& from, Index ld) {
  const Index size = of_a ? x.m : x.n, width = of_a ? x.kernel.mr : x.kernel.nr;
  std::vector<T> to(static_cast<std::size_t>(ceil_div(size, width) * width * x.steps()));
  const auto& text = x.kernel.text.under(Plain{});
  (of_a ? text.pack_a : text.pack_b)(to.data(), width, size, x.k, reinterpret_cast<const T*>(from.data()), ld,
                                     1, Plain{});
  const auto bytes = std::as_bytes(std::span(to));
  return {sizeof(T), {bytes.begin(), bytes.end()}, [to](std::size_t i) { return to[i] == T(0); }};
}

template <class T>
Leaf multiply_leaf(Draw& draw, const Case<T>& x) {
  const Index lda = x.k + x.pad, ldb = x.n + x.pad, ldc = x.n + x.pad;
  Region a{sizeof(T), draw.numbers<T>((x.m - 1) * lda + x.k)};
  Region b{sizeof(T), draw.numbers<T>((x.k - 1) * ldb + x.n)};
  if (x.a_packed) a = packed(x, true, draw.numbers<T>(x.m * x.k), x.k);
  if (x.b_packed) b = packed(x, false, draw.numbers<T>(x.n * x.k), x.k);
  const auto run = [x, lda, ldb, ldc](const auto& at, auto access) {
    const T* const in_a = reinterpret_cast<const T*>(at[0]);
    const T* const in_b = reinterpret_cast<const T*>(at[1]);
    const Index mr = x.kernel.mr, nr = x.kernel.nr, steps = x.steps();
    x.kernel.text.under(access).multiply(
        {.m = x.m,
         .n = x.n,
         .k = x.k,
         .a = x.a_packed ? Panels<T>{in_a, mr * steps, 1, mr} : Panels<T>{in_a, mr * lda, lda, 1},
         .b = x.b_packed ? Panels<T>{in_b, nr * steps, 1, nr} : Panels<T>{in_b, nr, 1, ldb},
         .a_packed = x.a_packed,
         .b_packed = x.b_packed,
         .c = reinterpret_cast<SumOf<T>*>(at[2]),
         .ldc = ldc,
         .alpha = x.alpha,
         .beta = x.beta,
         .ahead = {{in_a, 0}, {in_b, 0}}},
        access);
  };
  return {{a, b, {sizeof(SumOf<T>), draw.numbers<SumOf<T>>((x.m - 1) * ldc + x.n)}}, run, run};
}

template <class T>
void check_kernel(const RegisterKernel<T>& kernel, int cases = 24) {
  Draw draw(2026);
  for (int i = 0; i < cases; ++i) {
    const Case<T> x = draw_case(draw, kernel);
    SCOPED_TRACE(testing::Message() << x.m << " x " << x.n << " x " << x.k << ", pad " << x.pad << ", packed "
                                    << x.a_packed << x.b_packed << ", alpha " << x.alpha << ", beta "
                                    << x.beta);
    for (const bool of_a : {true, false})
      for (const bool rows : {true, false}) expect_exact(pack_leaf(draw, x, of_a, rows), {1});
    expect_exact(multiply_leaf(draw, x), {2});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Leaf, ProductOfDoubles) {
  for_each_target([] { check_kernel(register_kernel<double>()); });
}
TEST(Leaf, ProductOfFloats) {
  for_each_target([] { check_kernel(register_kernel<float>()); });
}
TEST(Leaf, ProductOfBfloat16Widened) {
  for_each_target([] { check_kernel(widening_kernel()); });
}
TEST(Leaf, ProductOfBfloat16ByDots) {
  if (!dot_kernel()) GTEST_SKIP() << "needs AVX-512 BF16";
  check_kernel(*dot_kernel());
}
/// Bytes of tiles between the arrays of a transposition.
constexpr std::size_t tiles_between = 6 << 10;

/// A block of a matrix of which `above` rows precede it. Rows are read again above it, and at its end, for
/// lines that another call writes.
template <class T>
Leaf transpose_leaf(Draw& draw, Index most) {
  constexpr Index line = 64 / sizeof(T);
  const Index rows = draw.in(1, most), cols = draw.in(1, most), above = draw.in(0, 2) * line,
              pad = draw.in(0, 2);
  const Index lda = cols + pad,
              ldb = draw.in(0, 1) ? above + rows + pad : ceil_div(above + rows, line) * line;
  const bool below = draw.in(0, 1);
  const Reuse reuse = draw.in(0, 2) ? Reuse::none : Reuse::expected;
  const Walk walk = draw.in(0, 1) ? Walk::down : Walk::across;
  const auto run = [=](const auto& at, auto access) {
    transpose_block(reinterpret_cast<T*>(at[1]) + above, ldb, reinterpret_cast<const T*>(at[0]) + above * lda,
                    lda, rows, cols, above, below, reuse, walk, access);
  };
  const auto idle = [=](std::size_t i) {
    const Index row = static_cast<Index>(i) / lda;
    return row < above || (below && row + line >= above + rows);
  };
  return {{{sizeof(T), draw.numbers<T>((above + rows - 1) * lda + cols), idle},
           {sizeof(T), draw.numbers<T>((cols - 1) * ldb + above + rows)}},
          run,
          run,
          tiles_between};
}

template <class T>
Leaf swap_leaf(Draw& draw) {
  const Index rows = draw.in(1, swapped_tile<T>), cols = draw.in(1, swapped_tile<T>),
              ldx = cols + draw.in(0, 2), ldy = rows + draw.in(0, 2);
  const auto run = [=](const auto& at, auto access) {
    swap_tiles(reinterpret_cast<T*>(at[0]), ldx, reinterpret_cast<T*>(at[1]), ldy, rows, cols, access);
  };
  return {{{sizeof(T), draw.numbers<T>((rows - 1) * ldx + cols)},
           {sizeof(T), draw.numbers<T>((cols - 1) * ldy + rows)}},
          run,
          run,
          tiles_between};
}

template <class T>
void check_transposition() {
  Draw draw(11);
  for (int i = 0; i < 30 && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    expect_exact(transpose_leaf<T>(draw, i < 20 ? 24 : 90), {1});
    if (i < 10) expect_exact(swap_leaf<T>(draw), {0, 1});
  }
}
TEST(Leaf, TranspositionOfFloats) {
  for_each_target([] { check_transposition<float>(); });
}
TEST(Leaf, TranspositionOfDoubles) {
  for_each_target([] { check_transposition<double>(); });
}

// The text on tile registers, which are opaque, over their model.
TEST(Leaf, ProductOfBfloat16OnTiles) { check_kernel(TileProduct<ModelTiles>::kernel, 6); }

template <class T>
void observe_kernel(const RegisterKernel<T>& kernel) {
  Draw draw(7);
  for (int i = 0; i < 4; ++i) {
    const Case<T> x = draw_case(draw, kernel);
    run_observed(pack_leaf(draw, x, i % 2, i / 2));
    run_observed(multiply_leaf(draw, x));
  }
}
// Not a test: a program that leaf_lackey_test.cpp runs.
TEST(LackeySubject, DISABLED_leaves) {
  observe_kernel(register_kernel<double>());
  observe_kernel(register_kernel<float>());
  observe_kernel(widening_kernel());
  Draw draw(7);
  for (int i = 0; i < 6; ++i) {
    run_observed(transpose_leaf<float>(draw, 40));
    run_observed(transpose_leaf<double>(draw, 40));
    run_observed(swap_leaf<double>(draw));
  }
  // The first one names a byte and loads another; the second one names two in another order; the third one
  // stores to a byte that is no operand.
  run_observed({{{1, std::vector<std::byte>(4)}, {1, std::vector<std::byte>(1)}},
                [](const At& at, Plain) { *at[1] = *const_cast<volatile std::byte*>(at[0] + 2); },
                [](const At& at, Traced<AnySink> access) {
                  *store_n(access, at[1], 1) = *load_n(access, at[0] + 1, 1);
                }},
               {.not_named = 1, .not_loaded = 1});
  const auto swapped = [](const At& at, auto access) {
    const auto load = [&](Index named, Index loaded) {
      return *const_cast<volatile std::byte*>(load_n(access, at[0] + named, 1) - named + loaded);
    };
    *store_n(access, at[1], 1) = load(0, 1) ^ load(1, 0);
  };
  run_observed({{{1, std::vector<std::byte>(2)}, {1, std::vector<std::byte>(1)}}, swapped, swapped},
               {.out_of_turn = 2});
  static volatile std::byte hidden;
  const auto keeps = [](const At& at, auto access) {
    hidden = *load_n(access, at[0], 1);
    *store_n(access, at[1], 1) = hidden;
  };
  run_observed({{{1, std::vector<std::byte>(1)}, {1, std::vector<std::byte>(1)}}, keeps, keeps},
               {.elsewhere = 1});
}

}  // namespace
}  // namespace tallcache::test
