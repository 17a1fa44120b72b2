// The points of a stencil: which neighbours an update sees, what lies beyond a border, and how a row of
// points is updated in vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/ops/stencil.hpp"
#include "common/traced.hpp"
#include "common/view.hpp"
#include "cpu/stencil/pack.hpp"

namespace tallcache::cpu::stencil {

using Border = StencilBorder;

/// base to the power of exponent.
constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

/// The neighbours of `n` points of a row: at(dx), at(dy, dx) or at(dz, dy, dx), offsets of at most `reach`.
template <class T, int n, int d, int reach, class Access>
class Neighbours {
 public:
  static constexpr int rows = power(2 * reach + 1, d - 1);

  [[gnu::always_inline]] inline Neighbours(const T* const* row, Index column, Access access)
      : row_(row), column_(column), access_(access) {}

  template <class... Offset>
  requires(sizeof...(Offset) == d) [[gnu::always_inline]] inline Pack<T, n> operator()(
      Offset... offset) const {
    return read(std::array<int, d>{static_cast<int>(offset)...});
  }

 private:
  [[gnu::always_inline]] inline Pack<T, n> read(const std::array<int, d>& offset) const {
    int number = 0;
    for (int i = 0; i + 1 < d; ++i) number = number * (2 * reach + 1) + (offset[i] + reach);
    return Pack<T, n>::load(load_n(access_, row_[number] + column_ + offset[d - 1], n));
  }

  const T* const* row_;
  Index column_;
  [[no_unique_address]] Access access_;
};

/// The neighbours of one point near an end of its row.
template <class T, int d, int reach, class Access>
class EdgeNeighbours {
 public:
  [[gnu::always_inline]] inline EdgeNeighbours(const T* const* row, Index column, Index columns,
                                               Border border, T outside, Access access)
      : row_(row), column_(column), columns_(columns), border_(border), outside_(outside), access_(access) {}

  template <class... Offset>
  requires(sizeof...(Offset) == d) [[gnu::always_inline]] inline Pack<T, 1> operator()(
      Offset... offset) const {
    const std::array<int, d> offsets{static_cast<int>(offset)...};
    int number = 0;
    for (int i = 0; i + 1 < d; ++i) number = number * (2 * reach + 1) + (offsets[i] + reach);
    Index j = column_ + offsets[d - 1];
    if (j < 0 || j >= columns_) {
      if (border_ == Border::constant) return outside_;
      j = inside(border_, j, columns_);
    }
    return Pack<T, 1>::load(load_n(access_, row_[number] + j, 1));
  }

  static Index inside(Border border, Index j, Index size) {
    if (border == Border::periodic) return j < 0 ? j + size : j >= size ? j - size : j;
    return j < 0 ? -1 - j : j >= size ? 2 * size - 1 - j : j;
  }

 private:
  const T* const* row_;
  Index column_, columns_;
  Border border_;
  T outside_;
  [[no_unique_address]] Access access_;
};

/// The points [begin, end) of `count` rows, `ld` elements apart, as their neighbours are.
template <class T>
struct RowsOfPoints {
  T* to;
  const T* const* rows;  ///< of the neighbours of the first one
  Index begin, end, count, ld;
};

/// update(at), or update(at, before) where `before` is the point one step ago.
template <class T, int n, class Update, class At, class Access>
[[gnu::always_inline]] inline void update_points(const Update& update, T* to, const At& at, Access access) {
  if constexpr (std::is_invocable_v<const Update&, const At&, Pack<T, n>>) {
    const auto before = Pack<T, n>::load(load_n(access, static_cast<const T*>(to), n));
    const Pack<T, n> after = update(at, before);
    after.store(store_n(access, to, n));
  } else {
    const Pack<T, n> after = update(at);
    after.store(store_n(access, to, n));
  }
}

/// Row `number` in vectors of `most` points, between shorter ones at its ends: stores are aligned.
template <class T, int most, int d, int reach, class Update, class Access>
[[gnu::always_inline]] inline void update_row_by(const Update& update, const RowsOfPoints<T>& row,
                                                 Index number, Access access) {
  const T* rows[Neighbours<T, 1, d, reach, Access>::rows];
  for (int i = 0; i < Neighbours<T, 1, d, reach, Access>::rows; ++i) rows[i] = row.rows[i] + number * row.ld;
  T* const to = row.to + number * row.ld;
  const Index end = row.end;
  Index j = row.begin;
  const auto points = [&]<int n>() __attribute__((always_inline)) {
    update_points<T, n>(update, to + j, Neighbours<T, n, d, reach, Access>(rows, j, access), access);
    j += n;
  };
  const auto up = [&]<int n>(const auto& self) __attribute__((always_inline)) {
    if constexpr (n < most) {
      if (reinterpret_cast<std::uintptr_t>(to + j) & n * sizeof(T)) points.template operator()<n>();
      self.template operator()<2 * n>(self);
    }
  };
  const auto down = [&]<int n>(const auto& self) __attribute__((always_inline)) {
    if constexpr (n > 0) {
      if (j + n <= end) points.template operator()<n>();
      self.template operator()<n / 2>(self);
    }
  };
  if (end - j >= 2 * most) up.template operator()<1>(up);
  while (j + most <= end) points.template operator()<most>();
  down.template operator()<most / 2>(down);
}

template <class T, int d, int reach, class Update, class Access>
using UpdateRow = void (*)(const Update&, const RowsOfPoints<T>&, Access);

/// In vectors of 16 bytes, or of one number.
template <class T, int d, int reach, int bytes, class Update, class Access>
[[gnu::flatten, gnu::noinline]] void update_row(const Update& by, const RowsOfPoints<T>& rows,
                                                Access access) {
  const Update update = by;
  for (Index i = 0; i < rows.count; ++i)
    update_row_by<T, bytes / sizeof(T), d, reach>(update, rows, i, access);
}
#if defined(__x86_64__) && defined(__OPTIMIZE__)
template <class T, int d, int reach, class Update, class Access>
[[gnu::flatten, gnu::noinline, gnu::target("avx2")]] void update_row_avx2(const Update& by,
                                                                          const RowsOfPoints<T>& rows,
                                                                          Access access) {
  const Update update = by;
  for (Index i = 0; i < rows.count; ++i) update_row_by<T, 32 / sizeof(T), d, reach>(update, rows, i, access);
}
#if !defined(__SANITIZE_ADDRESS__)  // the same text once more, which takes long to compile there
template <class T, int d, int reach, class Update, class Access>
[[gnu::flatten, gnu::noinline, gnu::target("avx512f")]] void update_row_avx512(const Update& by,
                                                                               const RowsOfPoints<T>& rows,
                                                                               Access access) {
  const Update update = by;
  for (Index i = 0; i < rows.count; ++i) update_row_by<T, 64 / sizeof(T), d, reach>(update, rows, i, access);
}
#endif
#endif

/// Rows in the vectors of this processor.
struct VectorRows {
  template <class T, int d, int reach, class Update, class Access>
  static UpdateRow<T, d, reach, Update, Access> update() {
#if defined(__x86_64__) && defined(__OPTIMIZE__)
#if !defined(__SANITIZE_ADDRESS__)
    if (__builtin_cpu_supports("avx512f")) return &update_row_avx512<T, d, reach, Update, Access>;
#endif
    if (__builtin_cpu_supports("avx2")) return &update_row_avx2<T, d, reach, Update, Access>;
#endif
    return &update_row<T, d, reach, 16, Update, Access>;
  }
};

/// Point by point.
struct PointRows {
  template <class T, int d, int reach, class Update, class Access>
  static UpdateRow<T, d, reach, Update, Access> update() {
    return &update_row<T, d, reach, sizeof(T), Update, Access>;
  }
};

}  // namespace tallcache::cpu::stencil
