// The kernels of shortest paths, closures and edit distances: what they say under Traced is what they load
// and store. A minimum or a union may leave what was there, whether it is stored or not.
#include <gtest/gtest.h>

#include "cpu/edit_distance/pairs_kernel.hpp"
#include "cpu/gep/closure_kernel.hpp"
#include "cpu/gep/path_kernel.hpp"
#include "tests/each_target.hpp"
#include "tests/leaf_views.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::edit_distance;
using namespace cpu::gep;
using tallcache::test::Leaf;
using BitWord = std::uint64_t;

/// What is loaded of it need not change a result.
Region idle(Region region) {
  region.idle = [](std::size_t) { return true; };
  return region;
}
Region kept(Region region) {
  region.keeps = true;
  return region;
}

/// n distances, of which no sum of two is shorter than one; with another sign many are.
template <class T>
std::vector<T> distances(std::uint64_t seed, Index n) {
  std::vector<T> values;
  for (const double x : fractions<double>(seed, n, true))
    values.push_back(static_cast<T>(std::is_integral_v<T> ? 4096 * x : x));
  return values;
}

enum class PathTile { diagonal, row, column, interior };

template <class T>
void see_tile(See see, PathTile tile, bool predecessors, Index rows, Index cols, Index depth) {
  constexpr Index side = 2 * tile_unit, n = side * side;
  const bool makes_u = tile == PathTile::diagonal || tile == PathTile::column,
             makes_v = tile == PathTile::diagonal || tile == PathTile::row;
  const Region u = region(distances<T>(2, n)), v = region(distances<T>(3, n)),
               p = region(std::vector<std::int32_t>(n, 5)), q = region(std::vector<std::int32_t>(n, 7));
  see(leaf_of({kept(region(distances<T>(1, n))), makes_u ? kept(idle(u)) : u, makes_v ? kept(idle(v)) : v,
               kept(p), kept(idle(q))},
              [=](const auto& views) {
                const PathTiles<T> t{.x = views.template of<T>(0).data,
                                     .u = views.template of<T>(1).data,
                                     .v = views.template of<T>(2).data,
                                     .p = predecessors ? views.template of<std::int32_t>(3).data : nullptr,
                                     .q = predecessors ? views.template of<std::int32_t>(4).data : nullptr,
                                     .side = side,
                                     .rows = rows,
                                     .cols = cols,
                                     .depth = depth};
                const auto& kernel = path_kernel<T>();
                const auto& text =
                    (predecessors ? kernel.predecessors : kernel.distances).under(views.access);
                if (tile == PathTile::diagonal) text.diagonal(t, views.access);
                if (tile == PathTile::row) text.row(t, views.access);
                if (tile == PathTile::column) text.column(t, views.access);
                if (tile == PathTile::interior) text.interior(t, views.access);
              }),
      {});
}

template <class T>
void see_paths(See see) {
  for (const bool predecessors : {false, true}) {
    for (const PathTile tile : {PathTile::diagonal, PathTile::row, PathTile::column, PathTile::interior})
      for (const Index size : {3, 19}) {
        SCOPED_TRACE(testing::Message() << "tile " << static_cast<int>(tile) << ", " << size);
        // Rows and columns up to whole units are the kernel's as well.
        see_tile<T>(see, tile, predecessors, size, tile == PathTile::column ? size : size + 2, size);
      }
    const T through = T(distances<double>(4, 1)[0] / 8);
    for (const Index n : {1, 7, 37})
      // A single element is stored where it falls alone.
      see(leaf_of({kept(idle(region(distances<T>(1, n)))), region(distances<T>(2, n)),
                   kept(idle(region(std::vector<std::int32_t>(static_cast<std::size_t>(n), 5)))),
                   idle(region(std::vector<std::int32_t>(static_cast<std::size_t>(n), 7)))},
                  [=](const auto& v) {
                    const auto& kernel = path_kernel<T>();
                    (predecessors ? kernel.predecessors : kernel.distances)
                        .under(v.access)
                        .relax(v.template of<T>(0).data, through, v.template of<const T>(1).data,
                               predecessors ? v.template of<std::int32_t>(2).data : nullptr,
                               predecessors ? v.template of<const std::int32_t>(3).data : nullptr, n,
                               v.access);
                  }),
          {});
  }
}

/// Words of which one bit in 16 is set.
std::vector<BitWord> sparse(std::uint64_t seed, Index n) {
  std::vector<BitWord> words(static_cast<std::size_t>(n), ~BitWord{0});
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::uint64_t part = 0; part < 4; ++part) words[w] &= random_up_to(seed, 4 * w + part, ~BitWord{0});
  return words;
}

/// Bytes of the unions of any of eight rows, two tables of them.
constexpr std::size_t unions_of_rows = 2 * 256 * tile_words * sizeof(BitWord);

void see_closures(See see) {
  for (const auto& [rows, depth] : {std::pair<Index, Index>{9, 70}, {70, 13}, {80, 80}}) {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << depth << " steps");
    const Index n = bit_tile * tile_words;
    see(leaf_of(
            {kept(region(sparse(1, n))), idle(region(sparse(2, n))), idle(region(sparse(3, n)))},
            [=, rows = rows, depth = depth](const auto& v) {
              closure_kernel().under(v.access).product(
                  v.template of<BitWord>(0).data, v.template of<const BitWord>(1).data,
                  v.template of<const BitWord>(2).data, rows, depth, v.access);
            },
            unions_of_rows),
        {});
    see(leaf_of(
            {kept(idle(region(sparse(1, n))))},
            [=, rows = rows, depth = depth](const auto& v) {
              closure_kernel().under(v.access).diagonal(v.template of<BitWord>(0).data, std::max(rows, depth),
                                                        depth, v.access);
            },
            unions_of_rows),
        {});
  }
  for (const Index n : {1, 13})
    see(leaf_of({kept(region(sparse(1, n))), idle(region(sparse(2, n)))},
                [=](const auto& v) {
                  closure_kernel().under(v.access).unite(v.template of<BitWord>(0).data,
                                                         v.template of<const BitWord>(1).data, n, v.access);
                }),
        {});
}

/// n letters of an alphabet of `count`.
std::vector<std::uint8_t> letters(std::uint64_t seed, Index n, std::uint64_t count) {
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::uint8_t>(random_up_to(seed, i, count - 1));
  return codes;
}

/// Bytes of the masks of a chunk of letters, which the kernel makes for the rows of a stripe.
constexpr std::size_t masks_of_letters = 36 << 10;

template <class Recurrence>
void see_tableau(See see, int planes, Index width, Index band) {
  constexpr Index words = 2 * stripe_words;
  const Index along = (width + word_bits - 1) / word_bits;
  see(leaf_of(
          {idle(region(sparse(1, planes * words))), idle(region(letters(2, width, 4))),
           kept(idle(region(sparse(3, Recurrence::planes * words)))),
           kept(idle(region(sparse(4, Recurrence::planes * along))))},
          [=](const auto& v) {
            bit_kernel<Recurrence>().text.under(v.access).block(
                {.rows = v.template of<const BitWord>(0).data,
                 .rows_ld = words,
                 .columns = v.template of<const std::uint8_t>(1).data,
                 .down = v.template of<BitWord>(2).data,
                 .along = v.template of<BitWord>(3).data,
                 .down_ld = words,
                 .along_ld = along,
                 .words = words,
                 .width = width,
                 .least = -band,
                 .most = band},
                planes, v.access);
          },
          masks_of_letters),
      {});
}

template <class Recurrence>
void see_string_pairs(See see, int planes, Index columns) {
  constexpr Index words = 2;
  const Index lanes = pairs_kernel<Recurrence>().lanes;
  see(leaf_of({idle(region(sparse(1, words * planes * lanes))),
               kept(idle(region(sparse(2, words * Recurrence::planes * lanes)))),
               idle(region(letters(3, columns * lanes, 4)))},
              [=](const auto& v) {
                pairs_kernel<Recurrence>().text.under(v.access).columns(
                    {.others = v.template of<const BitWord>(0).data,
                     .down = v.template of<BitWord>(1).data,
                     .columns = v.template of<const std::uint8_t>(2).data,
                     .words = words,
                     .begin = 0,
                     .end = columns,
                     .least = -words * word_bits,
                     .most = columns},
                    planes, v.access);
              }),
      {});
}

template <class Recurrence>
void see_strings(See see) {
  for (const int planes : {2, 3, 5, 8}) {
    for (const Index width : {70, 1100}) see_tableau<Recurrence>(see, planes, width, 5000);
    see_tableau<Recurrence>(see, planes, 300, 90);
    see_string_pairs<Recurrence>(see, planes, 5);
  }
}

void see_tableaux(See see) {
  see_paths<float>(see);
  see_paths<std::int32_t>(see);
  see_closures(see);
  see_strings<Levenshtein>(see);
  see_strings<CommonSubsequence>(see);
}

TEST(TableauLeaf, Paths) {
  for_each_target([] { see_paths<float>(expect_exact), see_paths<std::int32_t>(expect_exact); });
}
TEST(TableauLeaf, Closures) {
  for_each_target([] { see_closures(expect_exact); });
}
TEST(TableauLeaf, Strings) {
  for_each_target(
      [] { see_strings<Levenshtein>(expect_exact), see_strings<CommonSubsequence>(expect_exact); });
}

// Not a test: a program that leaf_lackey_test.cpp runs.
TEST(LackeySubject, DISABLED_tableaux) { see_tableaux(observe<5>); }

}  // namespace
}  // namespace tallcache::test
