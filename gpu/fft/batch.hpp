// Many transforms of one size: where their numbers lie, and which of them a tile has.
#pragma once

#include "gpu/fft/complex.hpp"

namespace tallcache::gpu::fft {

/// What a pass does: columns of length n1 and then rows of length n2, where n = n1 n2; or all of n, where n
/// is a block's own or a cluster's. Of whole transforms that lie `across`, neighbours in memory belong to
/// different ones.
enum class Pass { whole, across, columns, rows };

/// Number i of transform b is at (b / inner) outer + b % inner distance + i stride.
struct BatchLayout {
  Index stride = 1, distance = 0, outer = 0;
  unsigned inner = ~0u;

  TALLCACHE_INLINE Index begin(unsigned b) const {
    const unsigned group = b / inner;
    return group * outer + (b - group * inner) * distance;
  }
};

/// The numbers of many transforms, or their conjugates: the inverse transform is the conjugate of the
/// conjugates' transform. Column 0 of a pass belongs to transform `first`.
template <class View>
struct Batch {
  using value_type = typename View::value_type;
  View numbers;
  BatchLayout layout;
  unsigned first = 0;
  bool conjugate = false;
};

/// The numbers of one of them.
template <class View>
struct Strided {
  using value_type = typename View::value_type;
  View numbers;
  Index stride;
  bool conjugate;
};

template <class View>
inline constexpr bool is_batch = false;
template <class View>
inline constexpr bool is_batch<Batch<View>> = true;

template <class View>
TALLCACHE_INLINE Strided<View> transform_of(const Batch<View>& batch, unsigned b) {
  return {batch.numbers.block(batch.layout.begin(batch.first + b), 0), batch.layout.stride, batch.conjugate};
}
/// A view has the numbers of one transform.
template <class View>
TALLCACHE_INLINE const View& transform_of(const View& numbers, unsigned) {
  return numbers;
}

template <class T>
TALLCACHE_INLINE Complex<T> conjugate(Complex<T> a) {
  return {a.re, -a.im};
}

/// How far number i is from number 0.
template <class View>
TALLCACHE_INLINE Index placed(const View&, Index i) {
  return i;
}
template <class View>
TALLCACHE_INLINE Index placed(const Strided<View>& numbers, Index i) {
  return i * numbers.stride;
}

/// The number at a place, as Blocks loads it.
template <class Blocks, Pass pass, class View>
TALLCACHE_INLINE typename View::value_type load_placed(const View& from, Index place) {
  return Blocks::template load<pass>(from, place);
}
template <class Blocks, Pass pass, class View>
TALLCACHE_INLINE typename View::value_type load_placed(const Strided<View>& from, Index place) {
  const typename View::value_type z = Blocks::template load<pass>(from.numbers, place);
  return from.conjugate ? conjugate(z) : z;
}
template <class View, class Number>
TALLCACHE_INLINE void store_placed(const View& to, Index place, const Number& z) {
  to[place] = z;
}
template <class View, class Number>
TALLCACHE_INLINE void store_placed(const Strided<View>& to, Index place, const Number& z) {
  to.numbers[place] = to.conjugate ? conjugate(z) : z;
}

/// Number i.
template <class Blocks, Pass pass, class View>
TALLCACHE_INLINE typename View::value_type load_number(const View& from, Index i) {
  return load_placed<Blocks, pass>(from, placed(from, i));
}
template <class View, class Number>
TALLCACHE_INLINE void store_number(const View& to, Index i, const Number& z) {
  store_placed(to, placed(to, i), z);
}

/// A column of a transform; outside of the batch where it is not `inside`.
struct Column {
  unsigned transform, col;
  bool inside;
};

/// `columns` columns of each of `count` transforms, fewer than 2^32 together, in the order in which tiles
/// have them: those of a transform side by side, or, `across`, the same one of all transforms.
struct ColumnOrder {
  unsigned columns = 1, count = 1;
  bool across = false;

  Index total() const { return Index{columns} * count; }
  TALLCACHE_INLINE Column operator()(unsigned number) const {
    const unsigned length = across ? count : columns, major = number / length,
                   minor = number - major * length;
    const bool inside = major < (across ? columns : count);
    return across ? Column{minor, major, inside} : Column{major, minor, inside};
  }
};

}  // namespace tallcache::gpu::fft
