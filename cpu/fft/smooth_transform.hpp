// The transform of n = n1 n2 numbers, n with small prime factors alone (Frigo, Leiserson, Prokop,
// Ramachandran 1999; Bailey 1990): the numbers as a matrix of n1 rows, transforms of its columns, twiddles,
// the transposition, transforms of its rows. The columns and rows of a block are lanes of vectors. Two passes
// over memory, whatever n is.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/fork/local_memory.hpp"
#include "cpu/fft/fft_leaves.hpp"
#include "cpu/fft/layout.hpp"

namespace tallcache::cpu::fft {

// leaves_double.cpp and leaves_float.cpp.
template <>
std::span<const Leaves<double>::Texts> leaves<double>();
template <>
std::span<const Leaves<float>::Texts> leaves<float>();

/// exp(-2 pi i e / n), rounded from a product of two out of 2 sqrt n numbers in long double: within 0.51 ulp.
class RootsOfUnity {
 public:
  explicit RootsOfUnity(Index n) : low_size_(1) {
    while (low_size_ * low_size_ < n) low_size_ *= 2;
    for (Index b = 0; b < low_size_; ++b) low_.push_back(root(b, n));
    for (Index a = 0; a * low_size_ < n; ++a) high_.push_back(root(a * low_size_, n));
  }

  /// 0 <= e < n.
  template <class T>
  std::complex<T> at(Index e) const {
    const Wide a = high_[static_cast<std::size_t>(e / low_size_)],
               b = low_[static_cast<std::size_t>(e % low_size_)];
    return {static_cast<T>(a.re * b.re - a.im * b.im), static_cast<T>(a.re * b.im + a.im * b.re)};
  }

 private:
  struct Wide {
    long double re, im;
  };

  static Wide root(Index k, Index n) {
    // Symmetry reduces the angle to at most pi / 4, so that multiples of an eighth of a turn are exact.
    const Index eighth = 8 * (k % n);  // of n
    const Index octant = eighth / n, rest = eighth % n;
    const bool back = octant % 2;
    const long double angle = std::numbers::pi_v<long double> / 4 *
                              static_cast<long double>(back ? n - rest : rest) / static_cast<long double>(n);
    long double c = std::cos(angle), s = std::sin(angle);
    if (octant % 4 == 1 || octant % 4 == 2) std::swap(c, s);
    if (octant >= 2 && octant < 6) c = -c;
    if (octant >= 4) s = -s;
    return {c, -s};
  }

  Index low_size_;
  std::vector<Wide> low_, high_;
};

/// The roots that the passes read, in their order, in a table of 2 passes.roots() reals.
template <class T, class Access>
void fill_roots(VectorView<T, Access> table, const Passes& passes) {
  const RootsOfUnity roots(passes.size);
  Index at = 0, left = passes.size, turn = 1;
  for (int i = 0; i < passes.count; ++i) {
    const int radix = passes.radix[i];
    left /= radix;
    for (Index p = 0; p < left; ++p)
      for (int j = 1; j < radix; ++j) {
        const auto w = roots.at<T>(p * j * turn);  // a root of radix * left numbers
        table[at++] = w.real();
        table[at++] = w.imag();
      }
    turn *= radix;
  }
}

/// Each of the first `taken` passes leaves number j of a butterfly where its input j was. Calls put(position,
/// row) for where each row, or group of as many as the other passes transform, then is.
template <class Put>
void each_row(const Passes& passes, int taken, const Put& put) {
  const Index all = passes.groups(taken);
  for (Index position = 0; position < all; ++position) {
    Index row = 0, left = position, unit = all;
    for (int i = 0, weight = 1; i < taken; weight *= passes.radix[i++]) {
      unit /= passes.radix[i];
      row += left / unit * weight;
      left %= unit;
    }
    put(position, row);
  }
}

/// The pairs of a last pass behind the first `taken` passes, in the order of the groups or of the rows.
template <class Access>
void fill_order(VectorView<Index, Access> order, const Passes& passes, int taken, bool of_rows) {
  each_row(passes, taken, [&](Index at, Index row) {
    const Index place = 2 * (of_rows ? row : at);
    order[place] = at, order[place + 1] = row;
  });
}

/// The numbers that a strand processes at least.
inline constexpr Index strand_numbers = 2048;

/// body(begin, end) for parts of [0, size), which together process `numbers`.
template <class Fork, class Body>
void in_strands(Fork& fork, Index size, Index numbers, const Body& body) {
  if constexpr (std::is_same_v<Fork, Serial>)
    body(0, size);
  else
    loop_blocks(fork, size, ceil_div(strand_numbers * size, numbers), body);
}

/// Passes i to end - 1 of `groups` transforms of `size` rows one behind the other, each by itself where all
/// are too large for a first-level cache, then last(first, groups) for neighbouring groups of all.
template <class Fork, class Text, class T, class Policy, class Last>
void middle_passes(Fork& fork, const Text& text, const Passes& passes, int i, int end, T* x, Index width,
                   Index first, Index groups, Index size, const T* roots, Policy policy, const Last& last) {
  const Index numbers = groups * size * width;
  if (groups > 1 && numbers * static_cast<Index>(2 * sizeof(T)) > whole_block_bytes)
    return in_strands(fork, groups, numbers, [=, &fork, &text, &passes, &last](Index from, Index to) {
      for (Index g = from; g < to; ++g)
        middle_passes(fork, text, passes, i, end, x + 2 * g * size * width, width, first + g, 1, size, roots,
                      policy, last);
    });
  if (i == end) return last(first, groups);
  const Index radix = passes.radix[i], m = size / radix;
  in_strands(fork, m, numbers, [=, &text](Index from, Index to) {
    text.middle_pass(static_cast<int>(radix), x + 2 * width * from, width, groups, m, to - from,
                     roots + 2 * (radix - 1) * from, policy);
  });
  middle_passes(fork, text, passes, i + 1, end, x, width, first * radix, groups * radix, m,
                roots + 2 * (radix - 1) * m, policy, last);
}

/// The first passes of `count` neighbouring columns, `end` of them, in `buffer` of `width` p.size numbers,
/// then last(first, groups) as of middle_passes(). Number i of each column is `stride` behind number i - 1.
template <class Text, class T, class Policy, class Last>
void passes_in_buffer(const Text& text, const Passes& p, int end, const T* in, Index stride, Index count,
                      T* buffer, Index width, const T* roots, Policy policy, const Last& last) {
  const Index radix = p.radix[0], m = p.size / radix;
  text.first_pass(p.radix[0], in, stride, count, buffer, width, m, roots, policy);
  Serial serial;
  middle_passes(serial, text, p, 1, end, buffer, width, 0, radix, m, roots + 2 * (radix - 1) * m, policy,
                last);
}

/// The passes of transform_columns() before its last, whose groups' places its order has. A single pass has
/// one of radix 1 behind it, which copies.
inline int passes_before_last(const Passes& p) { return std::max(p.count - 1, 1); }

/// Transforms `count` neighbouring columns through `buffer`, as passes_in_buffer(). `out` may be `in`.
template <class Text, class T, class Policy>
void transform_columns(const Text& text, const Passes& p, const T* in, T* out, Index stride, Index count,
                       T* buffer, Index width, const T* roots, const Index* order, Policy policy) {
  const int last = p.count > 1 ? p.radix[p.count - 1] : 1;
  const Index all = p.size / last;
  passes_in_buffer(text, p, passes_before_last(p), in, stride, count, buffer, width, roots, policy,
                   [=, &text](Index first, Index groups) {
                     text.last_pass(last, buffer, out, stride, count, width, groups, all, order + 2 * first,
                                    policy);
                   });
}

/// The tables and the working memory of a transform: pieces of scratch, in reals.
template <class T, class Access = Plain>
class SmoothTransform {
 public:
  /// Fewer numbers take less time than threads to wake up.
  static bool forks(const Layout& l) { return l.n >= Index{1} << 16; }

  /// For `shares` threads.
  static std::size_t scratch(const Layout& l, Index shares) {
    const auto bytes = [](Index numbers) { return checked_product(numbers, 2 * sizeof(T), "fft"); };
    return checked_sum(
        scratch_bytes({bytes(l.columns.roots()), bytes(l.rows.roots()), bytes(l.split_roots()),
                       bytes(l.base_roots()), bytes(l.lane_roots()), bytes(l.work()), bytes(own_buffer(l)),
                       static_cast<std::size_t>(column_rows(l)) * sizeof(Index),
                       static_cast<std::size_t>(2 * row_groups(l)) * sizeof(Index)}),
        LocalMemory<>::scratch(bytes(l.buffer()), own_buffer(l) ? 0 : shares), "fft");
  }

  SmoothTransform(const Layout& layout, Scratch<Access>& scratch, Index shares)
      : l_(layout),
        texts_(std::ranges::find(leaves<T>(), layout.lanes, &Leaves<T>::Texts::lanes).base()),
        buffers_(scratch, static_cast<std::size_t>(2 * layout.buffer()) * sizeof(T),
                 own_buffer(layout) ? 0 : shares) {
    const auto take = [&scratch](Index numbers) { return scratch.template vector<T>(2 * numbers); };
    column_roots_ = take(l_.columns.roots());
    row_roots_ = take(l_.rows.roots());
    split_roots_ = take(l_.split_roots());
    base_roots_ = take(l_.base_roots());
    lane_roots_ = take(l_.lane_roots());
    work_ = take(l_.work());
    own_buffer_ = take(own_buffer(l_));
    column_order_ = scratch.template vector<Index>(column_rows(l_));
    row_order_ = scratch.template vector<Index>(2 * row_groups(l_));
  }

  /// The same plan, in the same scratch, under another access policy.
  template <class Other>
  SmoothTransform(const SmoothTransform<T, Other>& other, Access access)
      : l_(other.l_),
        texts_(other.texts_),
        column_roots_(other.column_roots_.with(access)),
        row_roots_(other.row_roots_.with(access)),
        split_roots_(other.split_roots_.with(access)),
        base_roots_(other.base_roots_.with(access)),
        lane_roots_(other.lane_roots_.with(access)),
        work_(other.work_.with(access)),
        own_buffer_(other.own_buffer_.with(access)),
        column_order_(other.column_order_.with(access)),
        row_order_(other.row_order_.with(access)),
        buffers_(other.buffers_.with(access)) {}

  const typename Leaves<T>::Texts& texts() const { return *texts_; }

  /// Fills the tables.
  void prepare() const {
    if (l_.kind == Layout::Kind::whole) return;
    const RootsOfUnity roots(l_.n);
    fill_roots(column_roots_, l_.columns);
    fill_roots(row_roots_, l_.rows);
    for (Index k = 0; k < column_order_.size; ++k) column_order_[k] = k;
    if (column_order_.size)
      each_row(l_.columns, l_.columns.count, [this](Index at, Index row) { column_order_[row] = at; });
    fill_order(row_order_, l_.rows, rows_before_last(l_), l_.sweeps);
    const auto put = [](auto view, Index vector, Index lane, Index lanes, std::complex<T> w) {
      view[2 * vector * lanes + lane] = w.real();
      view[2 * vector * lanes + lanes + lane] = w.imag();
    };
    const Index V = l_.lanes;
    const auto root = [&](Index k, Index column) {
      return k < l_.n1 && column < l_.n2 ? roots.at<T>(k * column) : std::complex<T>();
    };
    for (Index at = 0; at < l_.split_roots() / V; ++at)
      for (Index l = 0; l < V; ++l)
        put(split_roots_, at, l, V, root(1 + at % (l_.n1 - 1), at / (l_.n1 - 1) * V + place_of_lane(l, V)));
    for (Index at = 0; at < l_.lane_roots() / V; ++at)
      for (Index l = 0; l < V; ++l)
        put(lane_roots_, at, l, V, root(at * V / l_.width, at * V % l_.width + place_of_lane(l, V)));
    for (Index at = 0; at < l_.base_roots(); ++at)
      put(base_roots_, at, 0, 1, root(at % l_.padded_rows(), at / l_.padded_rows() * l_.width));
  }

  /// out = the transform of `in`, not scaled. They may be the same array.
  template <class Fork>
  void operator()(Fork& fork, T* out, const T* in, Access access) const {
    CompiledApart<Access> apart(access);
    run(fork, texts_->under(apart.policy()), out, in, apart.policy());
  }
  /// The same of the inverse transform.
  template <class Fork>
  void inverse(Fork& fork, T* out, const T* in) const {
    run(fork, texts_->inverse, out, in, Plain{});
  }

 private:
  template <class, class>
  friend class SmoothTransform;

  /// The numbers of the buffer of a transform that does not fork, which needs no lease.
  static Index own_buffer(const Layout& l) { return forks(l) ? 0 : l.buffer(); }
  /// The passes of the rows before the last, the groups of that, and the rows between columns and rows.
  static int rows_before_last(const Layout& l) {
    return l.kind == Layout::Kind::blocks ? passes_before_last(l.rows) : l.rows.count - 1;
  }
  static Index row_groups(const Layout& l) {
    return l.kind == Layout::Kind::whole ? 0 : l.rows.groups(rows_before_last(l));
  }
  static Index column_rows(const Layout& l) { return l.kind == Layout::Kind::blocks ? l.padded_rows() : 0; }

  template <class Fork, class Text, class Policy>
  void run(Fork& fork, const Text& text, T* out, const T* in, Policy policy) const {
    if (l_.kind == Layout::Kind::whole) return text.whole(static_cast<int>(l_.n), in, out, policy);
    if (!forks(l_) || fork.width() == 1) {
      Serial serial;
      return columns_and_rows(serial, text, out, in, policy);
    }
    columns_and_rows(fork, text, out, in, policy);
  }

  template <class Fork, class Text, class Policy>
  void columns_and_rows(Fork& fork, const Text& text, T* out, const T* in, Policy policy) const {
    if (l_.kind == Layout::Kind::split) {
      split_columns(fork, text, in, policy);
      return in_strands(fork, l_.row_blocks(), l_.n, [=, this, &fork, &text](Index begin, Index end) {
        for (Index b = begin; b < end; ++b) rows(fork, text, out, b, policy);
      });
    }
    // The rows of the columns' transforms, n2 of n1 numbers.
    T* const middle = in == out ? work_.data : out;
    in_blocks(fork, l_.column_blocks(),
              [=, this, &text](Index b, T* buffer) { columns(text, in, middle, b, buffer, policy); });
    in_blocks(fork, l_.row_blocks(), [=, this, &text](Index b, T* buffer) {
      const Index first = b * l_.width;
      transform_columns(text, l_.rows, middle + 2 * first, out + 2 * first, l_.n1, l_.n1 - first, buffer,
                        l_.width, row_roots_.data, row_order_.data, policy);
    });
  }

  /// body(block, buffer) for all of so many blocks.
  template <class Fork, class Body>
  void in_blocks(Fork& fork, Index blocks, const Body& body) const {
    in_strands(fork, blocks, l_.n, [=, this, &fork](Index begin, Index end) {
      const auto all = [=](T* buffer) {
        for (Index b = begin; b < end; ++b) body(b, buffer);
      };
      if (own_buffer_.size) return all(own_buffer_.data);
      const auto lease = buffers_.lease(fork);
      all(lease.scratch().template vector<T>(2 * l_.buffer()).data);
    });
  }

  template <class Fork, class Text, class Policy>
  void split_columns(Fork& fork, const Text& text, const T* in, Policy policy) const {
    in_strands(fork, ceil_div(l_.n2, l_.lanes), l_.n, [=, this, &text](Index from, Index to) {
      const Index column = from * l_.lanes;
      text.split_columns(static_cast<int>(l_.n1), in + 2 * column, work_.data + 2 * column * l_.width,
                         l_.width, l_.block, l_.n2, std::min(to * l_.lanes, l_.n2) - column,
                         split_roots_.data + 2 * column * (l_.n1 - 1), policy);
    });
  }

  /// A block of columns, whose transforms become rows of `to`.
  template <class Text, class Policy>
  void columns(const Text& text, const T* in, T* to, Index b, T* buffer, Policy policy) const {
    const Index first = b * l_.width;
    passes_in_buffer(text, l_.columns, l_.columns.count, in + 2 * first, l_.n2, l_.n2 - first, buffer,
                     l_.width, column_roots_.data, policy, [](Index, Index) {});
    const Index padding = 2 * (l_.padded_rows() - l_.n1) * l_.width;
    std::fill_n(store_n(policy, buffer + 2 * l_.n1 * l_.width, padding), padding, T{});
    text.twiddle_transposed(buffer, column_order_.data, l_.width, l_.n1, to + 2 * first * l_.n1, l_.n1,
                            l_.n2 - first, base_roots_.data + 2 * b * l_.padded_rows(), lane_roots_.data,
                            policy);
  }

  /// A block of rows of `split`.
  template <class Fork, class Text, class Policy>
  void rows(Fork& fork, const Text& text, T* out, Index b, Policy policy) const {
    const Passes& p = l_.rows;
    const int end = p.count - 1;
    T* const x = work_.data + 2 * b * l_.block;
    const Index all = row_order_.size / 2;
    const auto last = [&, this](Index first, Index groups) {
      text.last_pass(p.radix[end], x, out + 2 * b * l_.width, l_.n1, l_.n1 - b * l_.width, l_.width, groups,
                     all, row_order_.data + 2 * first, policy);
    };
    const bool sweeps = l_.sweeps;
    middle_passes(fork, text, p, 0, end, x, l_.width, 0, 1, l_.n2, row_roots_.data, policy,
                  [&last, sweeps](Index first, Index groups) {
                    if (!sweeps) last(first, groups);
                  });
    if (sweeps)
      in_strands(fork, all, l_.n2 * l_.width, [&last](Index from, Index to) { last(from, to - from); });
  }

  Layout l_;
  const typename Leaves<T>::Texts* texts_;
  VectorView<T, Access> column_roots_, row_roots_, split_roots_, base_roots_, lane_roots_, work_, own_buffer_;
  VectorView<Index, Access> column_order_, row_order_;
  LocalMemory<Access> buffers_;
};

}  // namespace tallcache::cpu::fft
