// gemm() in tiles: in any order each element is computed once, as gemm() does it.
#include "cpu/matmul/gemm_tiles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "common/random.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::matmul;

template <class T>
struct Product {
  Index m, n, k;
  std::vector<T> a, b, c;

  Product(Index rows, Index cols, Index inner)
      : m(rows), n(cols), k(inner), a(random(m * k, 1)), b(random(k * n, 2)) {
    c.assign(static_cast<std::size_t>(m * n), std::numeric_limits<T>::quiet_NaN());
    const std::size_t bytes = gemm_scratch_bytes<T>(Layout::row_major, Trans::no, Trans::no, m, n, k);
    memory.assign(bytes + 64, std::byte{0xff});
    const std::size_t skew = -reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
    scratch = Scratch<>(std::span(memory).subspan(skew, bytes));
  }
  MatrixView<const T> view_a() const { return {a.data(), m, k, k}; }
  MatrixView<const T> view_b() const { return {b.data(), k, n, n}; }
  MatrixView<T> view_c() { return {c.data(), m, n, n}; }

  std::vector<std::byte> memory;
  Scratch<> scratch;

 private:
  static std::vector<T> random(Index size, std::uint64_t seed) {
    std::vector<T> list(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<T>(2 * random_unit(seed, i) - 1);
    return list;
  }
};

template <class T>
void check(Index m, Index n, Index k, Index most) {
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
  Serial fork;
  Product<T> whole(m, n, k), cut(m, n, k);
  gemm(fork, Layout::row_major, Trans::no, Trans::no, T{1}, whole.view_a(), whole.view_b(), T{0},
       whole.view_c(), whole.scratch);
  const GemmTiles<T> tiles(cut.view_a(), cut.view_b(), 0, cut.view_c(), cut.scratch, most);
  EXPECT_LE(tiles.count(), most);
  tiles.pack(fork);
  Index c_words = 0;
  for (Index tile = tiles.count(); tile-- > 0;) {
    const std::vector<T> before = cut.c;
    tiles.multiply(tile);
    Index written = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (std::memcmp(&before[i], &cut.c[i], sizeof(T)) == 0) continue;
      EXPECT_TRUE(std::isnan(before[i])) << "written twice: " << i;
      ++written;
    }
    EXPECT_GE(tiles.words(tile), written);
    c_words += written;
  }
  EXPECT_EQ(c_words, m * n);
  EXPECT_EQ(0, std::memcmp(whole.c.data(), cut.c.data(), cut.c.size() * sizeof(T)));
}

TEST(GemmTiles, AreGemmToTheLastBit) {
  for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1},
                                {7, 200, 5},
                                {200, 7, 400},
                                {97, 97, 97},
                                {191, 193, 389},
                                {300, 130, 800},
                                {96, 96, 384},
                                {385, 97, 1}}) {
    for (Index most : {1, 2, 8, 128}) {
      check<double>(m, n, k, most);
      check<float>(m, n, k, most);
    }
  }
}

TEST(GemmTiles, AreManyWhereThereIsRoom) {
  Product<double> on(1000, 900, 10);
  const auto count = [&](Index most) {
    return GemmTiles<double>(on.view_a(), on.view_b(), 0, on.view_c(), on.scratch, most).count();
  };
  EXPECT_EQ(count(1), 1);
  EXPECT_EQ(count(32), 32);
  // Halves of what is larger than a leaf.
  const auto& kernel = cpu::matmul::register_kernel<double>();
  EXPECT_LE(count(Index{1} << 20), 4 * ceil_div(1000, kernel.mc) * ceil_div(900, kernel.nc))
      << "a tile is half a leaf at least";
}

}  // namespace
}  // namespace tallcache::test
