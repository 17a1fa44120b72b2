// The kernels of the streaming transpositions on every target that this processor has: bits are moved
// unchanged, and no other memory is touched, wherever the lines of input and output begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "common/fork/fork.hpp"
#include "common/random.hpp"
#include "common/traced.hpp"
#include "cpu/transpose/recursive_streaming.hpp"
#include "tests/each_target.hpp"

namespace tallcache::test {
namespace {

namespace tr = cpu::transpose;

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// A matrix that begins `offset` elements after a line, of random bits: NaNs of every payload among them.
template <class T>
struct Matrix {
  Index rows, cols, ld, offset;
  std::vector<Bits<T>> memory;

  Matrix(Index m, Index n, Index pad, Index line_offset, std::uint64_t seed)
      : rows(m), cols(n), ld(n + pad), memory(m * ld + 64) {
    const Index line = 64 / sizeof(T);
    const Index past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(memory.data()) % 64 / sizeof(T));
    offset = (line - past) % line + line_offset;
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<Bits<T>>(random_up_to(seed, i, ~std::uint64_t{0} >> 1) * 0x9e3779b97f4a7c15u >>
                                       (64 - 8 * sizeof(T)));
    for (std::size_t i = 0; i < memory.size(); i += 3)  // a signalling NaN with a payload
      memory[i] = sizeof(T) == 4 ? static_cast<Bits<T>>(0x7f800000u | (i + 1))
                                 : static_cast<Bits<T>>(0x7ff0000000000000u | (i + 1));
  }
  Index at(Index i, Index j) const { return offset + i * ld + j; }
  MatrixView<T> view() { return {reinterpret_cast<T*>(memory.data()) + offset, rows, cols, ld}; }
};

template <class T>
void check(Index m, Index n, Index pad, Index from, Index to, Index base = 512) {
  Matrix<T> a(m, n, pad, from, 1);
  const auto input = a.memory;
  for (const tr::Leaf& leaf : {tr::leaf_of(base, tr::Reuse::none, tr::Walk::down),
                               tr::leaf_of(base, tr::Reuse::none, tr::Walk::across),
                               tr::leaf_of(base, tr::Reuse::expected, tr::Walk::down)}) {
    Matrix<T> b(n, m, pad, to, 2);
    auto expected = b.memory;
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) expected[b.at(j, i)] = a.memory[a.at(i, j)];
    Serial fork;
    tr::rec_transpose_streaming(fork, b.view(), MatrixView<const T>(a.view()), leaf);
    ASSERT_TRUE(b.memory == expected) << m << " x " << n << ", pad " << pad << ", lines begin at " << from
                                      << " and " << to << ", leaves of " << leaf.rows << " x " << leaf.cols
                                      << ", stream " << (leaf.reuse == tr::Reuse::none);
    ASSERT_TRUE(a.memory == input);
  }
}

template <class T>
void check_in_place(Index n, Index pad, Index offset) {
  Matrix<T> a(n, n, pad, offset, 3);
  auto expected = a.memory;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) expected[a.at(j, i)] = a.memory[a.at(i, j)];
  Serial fork;
  tr::rec_transpose_in_place(fork, a.view());
  ASSERT_TRUE(a.memory == expected) << n << ", pad " << pad << ", lines begin at " << offset;
}

template <class T>
class StreamingTranspose : public testing::Test {};
using Elements = testing::Types<float, double>;
TYPED_TEST_SUITE(StreamingTranspose, Elements);

TYPED_TEST(StreamingTranspose, EveryPhaseOfTheLines) {
  constexpr Index line = 64 / sizeof(TypeParam);
  for_each_target([] {
    for (Index from = 0; from < line; ++from)
      for (Index to = 0; to < line; ++to)
        for (Index pad : {Index{0}, Index{1}, line})
          for (Index base : {2 * line + 1, Index{512}})
            check<TypeParam>(6 * line, 4 * line + 3, pad, from, to, base);
  });
}

TYPED_TEST(StreamingTranspose, SizesAroundLinesBlocksAndLeaves) {
  constexpr Index line = 64 / sizeof(TypeParam);
  std::vector<Index> sizes = {1, 2, 3};
  for (Index of : {line, 2 * line, 4 * line, 8 * line})
    for (Index size : {of - 1, of, of + 1}) sizes.push_back(size);
  for_each_target([&] {
    for (Index m : sizes)
      for (Index n : sizes)
        for (Index pad : {0, 5}) check<TypeParam>(m, n, pad, pad % 3, 1 + pad);
    for (Index base : {1, 7, 33, 64})
      for (Index m : {5, 129})
        for (Index n : {63, 130}) check<TypeParam>(m, n, 3, 1, 2, base);
    check<TypeParam>(511, 1025, 0, 0, 0);
    check<TypeParam>(1025, 513, 7, 3, 5);
    // Wider than a strip, a leaf for either walk.
    for (Index pad : {0, 3}) check<TypeParam>(12 * line + 5, 2100, pad, pad, 2 * pad, 4096);
  });
}

TYPED_TEST(StreamingTranspose, InPlace) {
  constexpr Index tile = tr::swapped_tile<TypeParam>;
  for_each_target([] {
    for (Index n : {Index{1}, Index{2}, Index{3}, Index{17}, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile,
                    2 * tile + 1, 4 * tile + 1})
      for (Index pad : {0, 1, 9})
        for (Index offset : {0, 1, 5}) check_in_place<TypeParam>(n, pad, offset);
  });
}

struct Accesses {
  std::map<const void*, int> loads, stores;
  void load(const void* address, std::size_t) { ++loads[address]; }
  void store(const void* address, std::size_t) { ++stores[address]; }
};

int most_times(const std::map<const void*, int>& accesses) {
  int most = 0;
  for (const auto& [address, times] : accesses) most = std::max(most, times);
  return most;
}

// Past the caches each element is written once. What shares a line with the leaf above is read again; in
// place, so is what shares a square of the registers.
TEST(StreamingTransposeTraced, EveryElementIsReadAndWritten) {
  Matrix<float> a(700, 613, 2, 0, 1), b(613, 700, 0, 0, 2);
  Accesses out_of_place, in_place;
  Serial fork;
  tr::rec_transpose_streaming(fork, b.view().with(Traced<Accesses>{&out_of_place}),
                              MatrixView<const float>(a.view()).with(Traced<Accesses>{&out_of_place}),
                              tr::leaf_of(100, tr::Reuse::none, tr::Walk::across));
  EXPECT_EQ(out_of_place.loads.size(), 700 * 613U);
  EXPECT_EQ(out_of_place.stores.size(), 700 * 613U);
  EXPECT_LE(most_times(out_of_place.loads), 4);
  EXPECT_EQ(most_times(out_of_place.stores), 1);
  Matrix<float> square(613, 613, 0, 0, 1);
  tr::rec_transpose_in_place(fork, square.view().with(Traced<Accesses>{&in_place}));
  EXPECT_EQ(in_place.loads.size(), 613 * 613U);
  EXPECT_EQ(in_place.stores.size(), 613 * 613U);
  EXPECT_LE(most_times(in_place.loads), 4);
}

}  // namespace
}  // namespace tallcache::test
