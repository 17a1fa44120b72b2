#include "cpu/lu/panel_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/lu/panel_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::lu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

template <class T>
HWY_INLINE Index lanes() {
  return static_cast<Index>(hn::Lanes(Tag<T>()));
}

/// The greatest magnitude of each lane, and its row.
template <class T>
class PivotSearch {
  using Int = hn::RebindToSigned<Tag<T>>;
  using Lane = hn::TFromD<Int>;

 public:
  HWY_INLINE explicit PivotSearch(Index begin)
      : magnitude_(hn::Set(Int(), Lane{-1})), row_(hn::Zero(Int())), at_(hn::Iota(Int(), Lane(begin))) {}

  HWY_INLINE void add(hn::Vec<Tag<T>> x) { add_magnitude(hn::BitCast(Int(), hn::Abs(x))); }

  /// The first `count` lanes alone.
  HWY_INLINE void add(hn::Vec<Tag<T>> x, Index count) {
    const auto valid = hn::FirstN(Int(), static_cast<std::size_t>(count));
    add_magnitude(hn::IfThenElse(valid, hn::BitCast(Int(), hn::Abs(x)), hn::Set(Int(), Lane{-1})));
  }

  HWY_INLINE Pivot found() const {
    HWY_ALIGN Lane magnitudes[hn::MaxLanes(Int())], rows[hn::MaxLanes(Int())];
    hn::Store(magnitude_, Int(), magnitudes);
    hn::Store(row_, Int(), rows);
    Pivot best{magnitudes[0], rows[0]};
    for (Index lane = 1; lane < lanes<T>(); ++lane)
      if (magnitudes[lane] > best.magnitude || (magnitudes[lane] == best.magnitude && rows[lane] < best.row))
        best = {magnitudes[lane], rows[lane]};
    return best;
  }

 private:
  HWY_INLINE void add_magnitude(hn::Vec<Int> magnitude) {
    const auto is_greater = hn::Gt(magnitude, magnitude_);
    magnitude_ = hn::IfThenElse(is_greater, magnitude, magnitude_);
    row_ = hn::IfThenElse(is_greater, at_, row_);
    at_ = hn::Add(at_, hn::Set(Int(), static_cast<Lane>(lanes<T>())));
  }

  hn::Vec<Int> magnitude_, row_, at_;
};

template <int left, class T, class Access>
HWY_NOINLINE Pivot EliminateBehind(const Elimination<T>& e, Index begin, Index end, Access access) {
  const Tag<T> d;
  const Index step = lanes<T>(), ld = e.ld;
  const auto reciprocal = hn::Set(d, e.reciprocal);
  hn::Vec<Tag<T>> upper[left + 1];
#pragma GCC unroll 8
  for (int l = 0; l <= left; ++l) upper[l] = hn::Set(d, e.upper[l]);
  PivotSearch<T> search(begin);
  const auto rows = [&](Index i, auto&& add) HWY_ATTR {
    T* const row = e.columns + i;
    const auto factor = hn::Mul(hn::LoadU(d, load_n(access, row + left * ld, step)), reciprocal);
    hn::StoreU(factor, d, store_n(access, row + left * ld, step));
    if (e.is_last) return;
    T* const to = row + (left + 1) * ld;
    auto y = hn::LoadU(d, load_n(access, to, step));
#pragma GCC unroll 8
    for (int l = 0; l < left; ++l)
      y = hn::NegMulAdd(hn::LoadU(d, load_n(access, row + l * ld, step)), upper[l], y);
    y = hn::NegMulAdd(factor, upper[left], y);
    hn::StoreU(y, d, store_n(access, to, step));
    add(y);
  };
  Index i = begin;
  for (; i + step <= end; i += step) rows(i, [&](auto y) HWY_ATTR { search.add(y); });
  if (i < end) rows(i, [&](auto y) HWY_ATTR { search.add(y, end - i); });
  return e.is_last ? Pivot{} : search.found();
}

template <class T, class Access>
Pivot Eliminate(const Elimination<T>& e, Index begin, Index end, Access access) {
  if (e.reciprocal == 0) {
    T* const column = e.columns + e.left * e.ld;
    for (Index i = begin; i < end; ++i) access.at(column + i) = T(access.at(column + i)) / e.pivot;
    Elimination<T> divided = e;
    divided.reciprocal = 1;
    return Eliminate(divided, begin, end, access);
  }
  switch (e.left) {
    case 0:
      return EliminateBehind<0>(e, begin, end, access);
    case 1:
      return EliminateBehind<1>(e, begin, end, access);
    case 2:
      return EliminateBehind<2>(e, begin, end, access);
    case 3:
      return EliminateBehind<3>(e, begin, end, access);
    case 4:
      return EliminateBehind<4>(e, begin, end, access);
    case 5:
      return EliminateBehind<5>(e, begin, end, access);
    case 6:
      return EliminateBehind<6>(e, begin, end, access);
    case 7:
      return EliminateBehind<7>(e, begin, end, access);
    default:
      std::abort();
  }
}

template <class T, class Access>
Pivot Search(const T* column, Index begin, Index end, Access access) {
  const Tag<T> d;
  const Index step = lanes<T>();
  PivotSearch<T> search(begin);
  Index i = begin;
  for (; i + step <= end; i += step) search.add(hn::LoadU(d, load_n(access, column + i, step)));
  if (i < end) search.add(hn::LoadU(d, load_n(access, column + i, step)), end - i);
  return search.found();
}

template <class T, class Access>
void Exchange(T* HWY_RESTRICT a, T* HWY_RESTRICT b, Index count, Access access) {
  const Tag<T> d;
  const Index step = lanes<T>();
  Index j = 0;
  for (; j + step <= count; j += step) {
    const auto x = hn::LoadU(d, load_n(access, a + j, step)), y = hn::LoadU(d, load_n(access, b + j, step));
    hn::StoreU(y, d, store_n(access, a + j, step));
    hn::StoreU(x, d, store_n(access, b + j, step));
  }
  for (; j < count; ++j) {
    const T x = access.at(a + j);
    access.at(a + j) = T(access.at(b + j));
    access.at(b + j) = x;
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
template <class T>
constexpr int square_side = 1;

template <class T, class Access>
HWY_INLINE void transpose_square(T* to, Index, const T* from, Index, Access access) {
  access.at(to) = T(access.at(from));
}
#else
/// The side of the squares that are transposed in registers: the lanes of a vector of 16 or 32 bytes.
template <class T>
constexpr int square_side = sizeof(T) == 4                ? 4
                            : hn::MaxLanes(Tag<T>()) >= 4 ? 4
                                                          : 2;

template <class T, class Access>
HWY_INLINE void transpose_square(T* HWY_RESTRICT to, Index to_ld, const T* HWY_RESTRICT from, Index from_ld,
                                 Access access) {
  constexpr int n = square_side<T>;
  const hn::FixedTag<T, n> d;
  using V = hn::Vec<hn::FixedTag<T, n>>;
  V x[n], y[n];
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i) x[i] = hn::LoadU(d, load_n(access, from + i * from_ld, n));
  if constexpr (sizeof(T) == 4) {
    const V even_low = hn::InterleaveLower(d, x[0], x[2]), even_high = hn::InterleaveUpper(d, x[0], x[2]);
    const V odd_low = hn::InterleaveLower(d, x[1], x[3]), odd_high = hn::InterleaveUpper(d, x[1], x[3]);
    y[0] = hn::InterleaveLower(d, even_low, odd_low), y[1] = hn::InterleaveUpper(d, even_low, odd_low);
    y[2] = hn::InterleaveLower(d, even_high, odd_high), y[3] = hn::InterleaveUpper(d, even_high, odd_high);
  } else if constexpr (n == 2) {
    y[0] = hn::InterleaveLower(d, x[0], x[1]), y[1] = hn::InterleaveUpper(d, x[0], x[1]);
  } else {
    const V low1 = hn::InterleaveLower(d, x[0], x[1]), high1 = hn::InterleaveUpper(d, x[0], x[1]);
    const V low2 = hn::InterleaveLower(d, x[2], x[3]), high2 = hn::InterleaveUpper(d, x[2], x[3]);
    y[0] = hn::ConcatLowerLower(d, low2, low1), y[1] = hn::ConcatLowerLower(d, high2, high1);
    y[2] = hn::ConcatUpperUpper(d, low2, low1), y[3] = hn::ConcatUpperUpper(d, high2, high1);
  }
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i) hn::StoreU(y[i], d, store_n(access, to + i * to_ld, n));
}
#endif

template <class T, class Access>
void Transpose(T* to, Index to_ld, const T* from, Index from_ld, Index rows, Index cols, Access access) {
  constexpr Index n = square_side<T>;
  const Index whole_rows = rows / n * n, whole_cols = cols / n * n;
  const auto square = [&](Index i, Index j) HWY_ATTR {
    transpose_square(to + j * to_ld + i, to_ld, from + i * from_ld + j, from_ld, access);
  };
  // Along the shorter side, whose lines are then used up while they are in the first-level cache.
  if (rows > cols)
    for (Index i = 0; i < whole_rows; i += n)
      for (Index j = 0; j < whole_cols; j += n) square(i, j);
  else
    for (Index j = 0; j < whole_cols; j += n)
      for (Index i = 0; i < whole_rows; i += n) square(i, j);
  const auto single = [&](Index i, Index j) {
    access.at(to + j * to_ld + i) = T(access.at(from + i * from_ld + j));
  };
  for (Index i = 0; i < whole_rows; ++i)
    for (Index j = whole_cols; j < cols; ++j) single(i, j);
  for (Index i = whole_rows; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) single(i, j);
}

template <class T, class Access>
Index Cholesky(T* a, Index ld, Index n, Access access) {
  const Tag<T> d;
  const Index step = lanes<T>();
  for (Index j = 0; j < n; ++j) {
    T* const row = a + j * ld;
    const Index first = j / step * step;
    for (Index v = first; v < n; v += step) {
      auto sum = hn::LoadU(d, load_n(access, row + v, step));
      for (Index k = 0; k < j; ++k)
        sum = hn::NegMulAdd(hn::Set(d, T(access.at(a + k * ld + j))),
                            hn::LoadU(d, load_n(access, a + k * ld + v, step)), sum);
      hn::StoreU(sum, d, store_n(access, row + v, step));
    }
    const T pivot = access.at(row + j);
    if (!(pivot > 0)) return j;
    const T root = std::sqrt(pivot);
    const auto divisor = hn::Set(d, root);
    for (Index v = first; v < n; v += step)
      hn::StoreU(hn::Div(hn::LoadU(d, load_n(access, row + v, step)), divisor), d,
                 store_n(access, row + v, step));
    access.at(row + j) = root;
  }
  return n;
}

template <class T, class Access>
bool Invert(T* x, Index ld, const T* l, Index row_stride, Index col_stride, Index n, bool unit,
            Access access) {
  const Tag<T> d;
  const Index step = lanes<T>();
  auto finite = hn::Zero(d);
  for (Index i = 0; i < n; ++i) {
    T* const row = x + i * ld;
    const T diagonal = unit ? T{1} : T{1} / T(access.at(l + i * (row_stride + col_stride)));
    const auto scale = hn::Set(d, -diagonal);
    for (Index v = 0; v < n; v += step) {
      auto sum = hn::Zero(d);
      for (Index k = v; k < i; ++k)
        sum = hn::MulAdd(hn::Set(d, T(access.at(l + i * row_stride + k * col_stride))),
                         hn::LoadU(d, load_n(access, x + k * ld + v, step)), sum);
      sum = hn::Mul(sum, scale);
      finite = hn::MulAdd(sum, hn::Zero(d), finite);
      hn::StoreU(sum, d, store_n(access, row + v, step));
    }
    access.at(row + i) = diagonal;
    if (!std::isfinite(diagonal)) return false;
  }
  return hn::AllTrue(d, hn::Eq(finite, hn::Zero(d)));
}

template <class T, class Access>
constexpr PanelText<T, Access> text{&Eliminate<T, Access>, &Search<T, Access>,   &Exchange<T, Access>,
                                    &Transpose<T, Access>, &Cholesky<T, Access>, &Invert<T, Access>};

template <class T>
const PanelKernel<T>* Kernel() {
  static constexpr PanelKernel<T> kernel{.text = {text<T, Plain>, text<T, Traced<AnySink>>}};
  return &kernel;
}
const PanelKernel<double>* KernelDouble() { return Kernel<double>(); }
const PanelKernel<float>* KernelFloat() { return Kernel<float>(); }

}  // namespace tallcache::cpu::lu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::lu {

HWY_EXPORT(KernelDouble);
HWY_EXPORT(KernelFloat);

template <>
const PanelKernel<double>& panel_kernel<double>() {
  return *HWY_DYNAMIC_DISPATCH(KernelDouble)();
}
template <>
const PanelKernel<float>& panel_kernel<float>() {
  return *HWY_DYNAMIC_DISPATCH(KernelFloat)();
}

}  // namespace tallcache::cpu::lu
#endif
