// The leaves of the Fourier transforms: what they say under Traced is what they load and store.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/ceil_div.hpp"
#include "cpu/fft/smooth_transform.hpp"
#include "tests/each_target.hpp"
#include "tests/leaf_views.hpp"

namespace tallcache::test {
namespace {

using cpu::fft::leaves;
using cpu::fft::radices;

template <class T>
using Texts = typename cpu::fft::Leaves<T>::Texts;

/// Complex numbers of real type T.
template <class T>
Region numbers(std::uint64_t seed, Index n) {
  Region numbers = region(fractions<T>(seed, 2 * n));
  numbers.equal = [](const std::byte* a, const std::byte* b) {
    T x, y;
    std::memcpy(&x, a, sizeof(T));
    std::memcpy(&y, b, sizeof(T));
    return std::abs(x - y) <= 64 * std::numeric_limits<T>::epsilon();
  };
  return numbers;
}

/// The column of real number i of split rows of `width` columns, in vectors of V.
Index column_of(std::size_t i, Index V, Index width) {
  const auto at = static_cast<Index>(i);
  return (at / (2 * V) * V + cpu::fft::place_of_lane(at % V, V)) % width;
}

/// The rows n - 1, ..., 0.
Region backwards(Index n) {
  std::vector<Index> rows;
  while (n > 0) rows.push_back(--n);
  return region(rows, 0);
}

template <class T>
void see_fft_passes(See see, const Texts<T>& texts, int radix, Index m, Index vectors) {
  const Index V = texts.lanes, width = vectors * V, rows = radix * m, stride = width + 3,
              count = width - (m + radix) % V;
  see(leaf_of({numbers<T>(1, (rows - 1) * stride + count), numbers<T>(2, rows * width),
               numbers<T>(3, (radix - 1) * m)},
              [=](const auto& v) {
                texts.under(v.access).first_pass(radix, v.template of<const T>(0).data, stride, count,
                                                 v.template of<T>(1).data, width, m,
                                                 v.template of<const T>(2).data, v.access);
              }),
      {1});
  const Index groups = 1 + m % 2;
  see(leaf_of({numbers<T>(1, groups * rows * width), numbers<T>(2, m > 1 ? (radix - 1) * m : 0)},
              [=](const auto& v) {
                texts.under(v.access).middle_pass(radix, v.template of<T>(0).data, width, groups, m, m,
                                                  v.template of<const T>(1).data, v.access);
              }),
      {0});
  // Lanes of columns that nobody wants are loaded with the others. Of 2 m groups the odd ones, backwards,
  // whose rows are in turn.
  const Index all = 2 * m;
  Region split = numbers<T>(1, radix * all * width);
  split.idle = [=](std::size_t i) {
    return column_of(i, V, width) >= count || static_cast<Index>(i) / (2 * width * radix) % 2 == 0;
  };
  std::vector<Index> order;
  for (Index g = 1; g < all; g += 2) order.insert(order.end(), {all - g, g});
  see(leaf_of({split, region(order, 0), numbers<T>(2, (radix * all - 1) * stride + count)},
              [=](const auto& v) {
                texts.under(v.access).last_pass(radix, v.template of<const T>(0).data,
                                                v.template of<T>(2).data, stride, count, width, m, all,
                                                v.template of<const Index>(1).data, v.access);
              }),
      {2});
}

template <class T>
void see_columns(See see, const Texts<T>& texts, int radix, Index m) {
  const Index V = texts.lanes, width = V, padded = ceil_div(m, V) * V, block = padded * width;
  Region roots = numbers<T>(2, (radix - 1) * padded);
  roots.idle = [](std::size_t) { return true; };  // of columns beyond m they multiply zeros
  see(leaf_of({numbers<T>(1, radix * m), roots, numbers<T>(3, ceil_div(radix, width) * block)},
              [=](const auto& v) {
                texts.under(v.access).split_columns(radix, v.template of<const T>(0).data,
                                                    v.template of<T>(2).data, width, block, m, m,
                                                    v.template of<const T>(1).data, v.access);
              }),
      {2});
}

template <class T>
void see_twiddles(See see, const Texts<T>& texts, Index n1, Index vectors) {
  const Index V = texts.lanes, width = vectors * V, padded = ceil_div(n1, V) * V, distance = n1 + 1,
              count = width - n1 % V;
  const auto idle = [=](Region region, bool split) {
    region.idle = [=](std::size_t i) {
      return (split && column_of(i, V, width) >= count) ||
             static_cast<Index>(i) / (2 * (split ? width : 1)) >= n1;
    };
    return region;
  };
  Region buffer = numbers<T>(1, padded * width);
  buffer.idle = [=](std::size_t i) {
    return column_of(i, V, width) >= count ||
           static_cast<Index>(i) / (2 * width) < padded - n1;  // its rows are in the opposite order
  };
  Region order = backwards(padded);
  order.idle = [=](std::size_t i) { return static_cast<Index>(i) >= n1; };
  see(leaf_of({buffer, order, idle(numbers<T>(2, padded), false), idle(numbers<T>(3, padded * width), true),
               numbers<T>(4, (count - 1) * distance + n1)},
              [=](const auto& v) {
                texts.under(v.access).twiddle_transposed(
                    v.template of<const T>(0).data, v.template of<const Index>(1).data, width, n1,
                    v.template of<T>(4).data, distance, count, v.template of<const T>(2).data,
                    v.template of<const T>(3).data, v.access);
              }),
      {4});
}

template <class T>
void see_rows(See see, const Texts<T>& texts, Index n, Index vectors) {
  const Index V = texts.lanes, width = vectors * V, padded = ceil_div(n, V) * V, distance = n + 1,
              count = width - n % V;
  see(leaf_of({numbers<T>(1, (count - 1) * distance + n), numbers<T>(2, padded * width)},
              [=](const auto& v) {
                texts.under(v.access).rows_to_lanes(v.template of<const T>(0).data, distance, count, n,
                                                    v.template of<T>(1).data, width, v.access);
              }),
      {1});
  // Lanes that nobody wants are loaded with the others, and so are rows beyond n, the first ones backwards.
  Region split = numbers<T>(1, padded * width);
  split.idle = [=](std::size_t i) {
    return column_of(i, V, width) >= count || static_cast<Index>(i) / (2 * width) < padded - n;
  };
  Region order = backwards(padded);
  order.idle = [=](std::size_t i) { return static_cast<Index>(i) >= n; };
  see(leaf_of({split, order, numbers<T>(2, (count - 1) * distance + n)},
              [=](const auto& v) {
                texts.under(v.access).lanes_to_rows(v.template of<const T>(0).data,
                                                    v.template of<const Index>(1).data, width,
                                                    v.template of<T>(2).data, distance, count, n, v.access);
              }),
      {2});
}

template <class T>
void see_short_rows(See see, const Texts<T>& texts, int size) {
  const Index count = texts.lanes + size % texts.lanes, distance = size + 1,
              all = (count - 1) * distance + size;
  see(leaf_of({numbers<T>(1, all), numbers<T>(2, all)},
              [=](const auto& v) {
                texts.under(v.access).short_rows(size, v.template of<const T>(0).data,
                                                 v.template of<T>(1).data, distance, count, v.access);
              }),
      {1});
}

template <class T>
void see_products(See see, const Texts<T>& texts, Index n) {
  for (const bool exchanged : {false, true})
    see(leaf_of({numbers<T>(1, n), numbers<T>(2, n), numbers<T>(3, n)},
                [=](const auto& v) {
                  texts.under(v.access).multiply(v.template of<const T>(0).data,
                                                 v.template of<const T>(1).data, v.template of<T>(2).data, n,
                                                 exchanged, !exchanged, v.access);
                }),
        {2});
}

template <class T>
void see_whole(See see, const Texts<T>& texts, int radix) {
  see(leaf_of({numbers<T>(1, radix), numbers<T>(2, radix)},
              [=](const auto& v) {
                texts.under(v.access).whole(radix, v.template of<const T>(0).data, v.template of<T>(1).data,
                                            v.access);
              }),
      {1});
}

template <class T>
void see_mirrored(See see, const Texts<T>& texts, Index half) {
  see(leaf_of({numbers<T>(1, half), numbers<T>(2, half / 2 + 1)},
              [=](const auto& v) {
                texts.under(v.access).mirrored(v.template of<T>(0).data, v.template of<T>(0).data,
                                               v.template of<const T>(1).data, 1, half / 2 + 1, half,
                                               v.access);
              }),
      {});
}

template <class T>
void see_transforms(See see) {
  for (const Texts<T>& texts : leaves<T>()) {
    SCOPED_TRACE(testing::Message() << texts.lanes << " lanes");
    for (const int radix : radices) {
      SCOPED_TRACE(testing::Message() << "radix " << radix);
      if (radix <= 13)
        for (const Index m : {1, 3}) see_fft_passes<T>(see, texts, radix, m, 1 + m / 3);
      for (const Index m : {1, 5, 16}) see_columns<T>(see, texts, radix, m);
      if (testing::Test::HasFailure()) return;
    }
    for (const int size : cpu::fft::whole_sizes) see_whole<T>(see, texts, size);
    for (const int size : {2, 3, 7, 12, 16}) see_short_rows<T>(see, texts, size);
    for (const Index n : {1, 7, 16, 35}) see_products<T>(see, texts, n);
    for (const Index n : {2, 7, 16, 35}) see_rows<T>(see, texts, n, 1 + n % 2);
    for (const Index half : {2, 31, 64}) see_mirrored<T>(see, texts, half);
    for (const Index n1 : {1, 7, 16}) see_twiddles<T>(see, texts, n1, 1 + n1 % 2);
  }
}

TEST(FourierLeaf, Doubles) {
  for_each_target([] { see_transforms<double>(expect_exact); });
}
TEST(FourierLeaf, Floats) {
  for_each_target([] { see_transforms<float>(expect_exact); });
}

// Not a test: a program that leaf_lackey_test.cpp runs.
TEST(LackeySubject, DISABLED_transforms) {
  see_transforms<double>(observe<13>);
  see_transforms<float>(observe<13>);
}

}  // namespace
}  // namespace tallcache::test
