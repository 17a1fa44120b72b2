#include "cpu/gep/path_kernel.hpp"

#include <algorithm>

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gep/path_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::gep::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
using PredecessorTag = hn::ScalableTag<std::int32_t>;

template <class T>
HWY_INLINE Index lanes() {
  return static_cast<Index>(hn::Lanes(Tag<T>()));
}

/// Some columns of a row: distances, and predecessors where there are any.
template <class T, bool has_predecessors>
struct Lanes {
  hn::Vec<Tag<T>> distance;

  template <class Access>
  HWY_INLINE void load(const T* x, const std::int32_t*, Index j, Access access) {
    distance = hn::LoadU(Tag<T>(), load_n(access, x + j, lanes<T>()));
  }
  template <class Access>
  HWY_INLINE void store(T* x, std::int32_t*, Index j, Access access) const {
    hn::StoreU(distance, Tag<T>(), store_n(access, x + j, lanes<T>()));
  }
  /// Of two equal ones the old stays.
  HWY_INLINE void relax(hn::Vec<Tag<T>> u, const Lanes& v) {
    distance = hn::Min(hn::Add(u, v.distance), distance);
  }
};

template <class T>
struct Lanes<T, true> {
  hn::Vec<Tag<T>> distance;
  hn::Vec<PredecessorTag> predecessor;

  template <class Access>
  HWY_INLINE void load(const T* x, const std::int32_t* p, Index j, Access access) {
    distance = hn::LoadU(Tag<T>(), load_n(access, x + j, lanes<T>()));
    predecessor = hn::LoadU(PredecessorTag(), load_n(access, p + j, lanes<T>()));
  }
  template <class Access>
  HWY_INLINE void store(T* x, std::int32_t* p, Index j, Access access) const {
    hn::StoreU(distance, Tag<T>(), store_n(access, x + j, lanes<T>()));
    hn::StoreU(predecessor, PredecessorTag(), store_n(access, p + j, lanes<T>()));
  }
  HWY_INLINE void relax(hn::Vec<Tag<T>> u, const Lanes& v) {
    const auto sum = hn::Add(u, v.distance);
    const auto falls = hn::Lt(sum, distance);
    distance = hn::Min(sum, distance);
    predecessor = hn::IfThenElse(hn::RebindMask(PredecessorTag(), falls), v.predecessor, predecessor);
  }
};

// The elements of x that stay in registers: rows, and vectors of columns.
constexpr bool has_32_registers = HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64;
template <bool has_predecessors>
constexpr int tile_rows = has_32_registers ? (has_predecessors ? 4 : 8) : (has_predecessors ? 2 : 4);
template <bool has_predecessors>
constexpr int tile_vectors = has_32_registers ? 3 : 2;

/// One register tile: rows from i, vectors from column j, steps [begin, end).
template <int vectors, bool has_predecessors, class T, class Access>
HWY_INLINE void register_tile(const PathTiles<T>& t, Index i, Index j, Index begin, Index end,
                              Access access) {
  constexpr int rows = tile_rows<has_predecessors>;
  const Index side = t.side, step = lanes<T>();
  const T* const u = t.u + i * side;
  Lanes<T, has_predecessors> x[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < vectors; ++c)
      x[r][c].load(t.x + (i + r) * side, t.p + (i + r) * side, j + c * step, access);
  for (Index k = begin; k < end; ++k) {
    Lanes<T, has_predecessors> v[vectors];
#pragma GCC unroll 4
    for (int c = 0; c < vectors; ++c) v[c].load(t.v + k * side, t.q + k * side, j + c * step, access);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const auto broadcast = hn::Set(Tag<T>(), T(access.at(u + r * side + k)));
#pragma GCC unroll 4
      for (int c = 0; c < vectors; ++c) x[r][c].relax(broadcast, v[c]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < vectors; ++c)
      x[r][c].store(t.x + (i + r) * side, t.p + (i + r) * side, j + c * step, access);
}

/// Rows [from, to) of x by steps [begin, end). The rows of v that a column of register tiles reads stay in
/// the nearest cache.
template <bool has_predecessors, class T, class Access>
HWY_NOINLINE void update_rows(const PathTiles<T>& t, Index from, Index to, Index begin, Index end,
                              Access access) {
  constexpr int rows = tile_rows<has_predecessors>, most = tile_vectors<has_predecessors>;
  const Index step = lanes<T>();
  for (Index j = 0; j < t.cols;) {
    const Index vectors = std::min<Index>(most, (t.cols - j + step - 1) / step);
    for (Index i = from; i < to; i += rows)
      if (vectors == 1)
        register_tile<1, has_predecessors>(t, i, j, begin, end, access);
      else if (vectors == 2 || most == 2)
        register_tile<2, has_predecessors>(t, i, j, begin, end, access);
      else
        register_tile<most, has_predecessors>(t, i, j, begin, end, access);
    j += vectors * step;
  }
}

/// The rows of the tile but those of steps [begin, end).
template <bool has_predecessors, class T, class Access>
void update_other_rows(const PathTiles<T>& t, Index begin, Index end, Access access) {
  update_rows<has_predecessors>(t, 0, begin, begin, end, access);
  update_rows<has_predecessors>(t, begin + tile_unit, t.rows, begin, end, access);
}

template <bool has_predecessors, class T, class Access>
void Relax(T* x, T u, const T* v, std::int32_t* p, const std::int32_t* q, Index count, Access access) {
  const Index step = lanes<T>();
  const auto broadcast = hn::Set(Tag<T>(), u);
  Index j = 0;
  for (; j + step <= count; j += step) {
    Lanes<T, has_predecessors> to, from;
    from.load(v, q, j, access);
    to.load(x, p, j, access);
    to.relax(broadcast, from);
    to.store(x, p, j, access);
  }
  for (; j < count; ++j) {
    const T sum = u + T(access.at(v + j));
    if (!(sum < T(access.at(x + j)))) continue;
    access.at(x + j) = sum;
    if constexpr (has_predecessors) access.at(p + j) = std::int32_t(access.at(q + j));
  }
}

/// Row k of the tile as it is at step k, to v.
template <bool has_predecessors, class T, class Access>
HWY_INLINE void save_row(const PathTiles<T>& t, Index k, Access access) {
  if (t.v == t.x) return;
  const Index row = k * t.side;
  for (Index j = 0; j < t.cols; j += lanes<T>()) {
    Lanes<T, has_predecessors> x;
    x.load(t.x + row, t.p + row, j, access);
    x.store(t.v + row, t.q + row, j, access);
  }
}

/// Rows and columns of steps [begin, end) by one another, on the diagonal; of x(i, k), i in these rows, the
/// state at step k goes to u. Returns the step of a negative cycle, or -1.
template <bool has_predecessors, class T, class Access>
Index Square(const PathTiles<T>& t, Index begin, Index end, bool saves_u, Access access) {
  const Index side = t.side;
  for (Index k = begin; k < end; ++k) {
    if (saves_u && T(access.at(t.x + k * side + k)) < T{}) return k;
    save_row<has_predecessors>(t, k, access);
    for (Index i = begin; i < end; ++i) {
      T* const u = t.u + i * side + k;
      if (saves_u && t.u != t.x) access.at(u) = T(access.at(t.x + i * side + k));
      if (i == k) continue;
      Relax<has_predecessors>(t.x + i * side, T(access.at(u)), t.v + k * side, t.p + i * side, t.q + k * side,
                              (t.cols + tile_unit - 1) / tile_unit * tile_unit, access);
    }
  }
  return -1;
}

/// The columns of steps [begin, end) in rows [from, to): of x(i, k) the state at step k goes to u.
template <bool has_predecessors, class T, class Access>
void strip(const PathTiles<T>& t, Index from, Index to, Index begin, Index end, Access access) {
  const Index side = t.side;
  for (Index i = from; i < to; ++i) {
    T* const x = t.x + i * side;
    for (Index k = begin; k < end; ++k) {
      const T u = access.at(x + k);
      if (t.u != t.x) access.at(t.u + i * side + k) = u;
      Relax<has_predecessors>(x + begin, u, t.v + k * side + begin, t.p + i * side + begin,
                              t.q + k * side + begin, tile_unit, access);
    }
  }
}

template <bool has_predecessors, class T, class Access>
Index Diagonal(const PathTiles<T>& t, Access access) {
  for (Index k = 0; k < t.depth; k += tile_unit) {
    const Index end = std::min(k + tile_unit, t.depth);
    if (const Index cycle = Square<has_predecessors>(t, k, end, true, access); cycle >= 0) return cycle;
    strip<has_predecessors>(t, 0, k, k, end, access);
    strip<has_predecessors>(t, k + tile_unit, t.rows, k, end, access);
    update_other_rows<has_predecessors>(t, k, end, access);
  }
  return -1;
}

template <bool has_predecessors, class T, class Access>
void Row(const PathTiles<T>& t, Access access) {
  for (Index k = 0; k < t.depth; k += tile_unit) {
    const Index end = std::min(k + tile_unit, t.depth);
    Square<has_predecessors>(t, k, end, false, access);
    update_other_rows<has_predecessors>(t, k, end, access);
  }
}

template <bool has_predecessors, class T, class Access>
void Column(const PathTiles<T>& t, Access access) {
  for (Index k = 0; k < t.depth; k += tile_unit) {
    const Index end = std::min(k + tile_unit, t.depth);
    strip<has_predecessors>(t, 0, t.rows, k, end, access);
    update_rows<has_predecessors>(t, 0, t.rows, k, end, access);
  }
}

template <bool has_predecessors, class T, class Access>
void Interior(const PathTiles<T>& t, Access access) {
  update_rows<has_predecessors>(t, 0, t.rows, 0, t.depth, access);
}

template <bool has_predecessors, class T, class Access>
constexpr PathText<T, Access> text{&Diagonal<has_predecessors, T, Access>, &Row<has_predecessors, T, Access>,
                                   &Column<has_predecessors, T, Access>,
                                   &Interior<has_predecessors, T, Access>,
                                   &Relax<has_predecessors, T, Access>};

template <class T>
const PathKernel<T>* Kernel() {
  static constexpr PathKernel<T> kernel{
      .distances = {text<false, T, Plain>, text<false, T, Traced<AnySink>>},
      .predecessors = {text<true, T, Plain>, text<true, T, Traced<AnySink>>}};
  return &kernel;
}
const PathKernel<float>* KernelFloat() { return Kernel<float>(); }
const PathKernel<std::int32_t>* KernelInt32() { return Kernel<std::int32_t>(); }

}  // namespace tallcache::cpu::gep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::gep {

HWY_EXPORT(KernelFloat);
HWY_EXPORT(KernelInt32);

template <>
const PathKernel<float>& path_kernel<float>() {
  return *HWY_DYNAMIC_DISPATCH(KernelFloat)();
}
template <>
const PathKernel<std::int32_t>& path_kernel<std::int32_t>() {
  return *HWY_DYNAMIC_DISPATCH(KernelInt32)();
}

}  // namespace tallcache::cpu::gep
#endif
