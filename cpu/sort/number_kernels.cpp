#include "cpu/sort/number_kernels.hpp"

#include <algorithm>
#include <concepts>
#include <numeric>

#include "cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sort/number_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::sort::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors have no comparison of unsigned words of 64 bits before AVX-512: numbers are turned into signed ones
// of the same order.
template <class D>
using Compared = std::conditional_t<std::floating_point<hn::TFromD<D>>, D, hn::RebindToSigned<D>>;
template <class D>
HWY_INLINE hn::Vec<Compared<D>> compared(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  if constexpr (std::unsigned_integral<T>) x = hn::Xor(x, hn::Set(d, T{1} << (8 * sizeof(T) - 1)));
  return hn::BitCast(Compared<D>(), x);
}

// The mask, of which the compiler knows no bits. gcc 12 stores one of eight lanes as a byte and, where it
// knows the bits above to be zero, loads four of them as the number of a table's row.
template <class Mask>
HWY_INLINE Mask opaque(Mask mask) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+k"(mask.raw));
#endif
  return mask;
}

// A vector's numbers by parts.
template <class D, bool equality>
struct Parts {
  D d;
  hn::Vec<Compared<D>> splitter[few_splitters];

  HWY_INLINE Parts(D tag, const hn::TFromD<D>* splitters) : d(tag) {
    for (int s = 0; s < few_splitters; ++s) splitter[s] = compared(d, hn::Set(d, splitters[s]));
  }
  // Calls take(part, mask) for each part.
  template <class Take>
  HWY_INLINE void operator()(hn::Vec<D> numbers, Take take) const {
    const Compared<D> dc;
    const auto x = compared(d, numbers);
    auto above = hn::FirstN(dc, hn::Lanes(dc));
    HWY_UNROLL(8)
    for (int s = 0; s < few_splitters; ++s) {
      const auto beyond = hn::Lt(splitter[s], x);
      auto here = hn::AndNot(beyond, above);
      if constexpr (equality) here = hn::AndNot(hn::Eq(splitter[s], x), here);
      take(s, hn::RebindMask(d, here));
      above = beyond;
    }
    take(few_splitters, hn::RebindMask(d, above));
  }
};

// Where a splitter repeats, nothing is between the two, and what equals it is counted for the first.
template <class D, bool equality, class T, class Access>
HWY_INLINE void count_vectors(const Parts<D, equality>& parts, VectorView<const T, Access> numbers, Index& i,
                              const T* splitters, Index (&counts)[2 * few_parts]) {
  const hn::RebindToUnsigned<D> du;
  const auto lanes = static_cast<Index>(hn::Lanes(du)), begin = i;
  hn::Vec<decltype(du)> beyond[few_splitters], equal[few_splitters];
  for (int s = 0; s < few_splitters; ++s) beyond[s] = equal[s] = hn::Zero(du);
  for (; i + lanes <= numbers.size; i += lanes) {
    const auto x = compared(parts.d, hn::LoadU(parts.d, load_n(numbers.access(), numbers.data + i, lanes)));
    const auto add = [&](auto mask, auto& count) HWY_ATTR {
      count = hn::IfThenElse(hn::RebindMask(du, mask), hn::Add(count, hn::Set(du, 1)), count);
    };
    HWY_UNROLL(8)
    for (int s = 0; s < few_splitters; ++s) {
      add(hn::Lt(parts.splitter[s], x), beyond[s]);
      if constexpr (equality) add(hn::Eq(parts.splitter[s], x), equal[s]);
    }
  }
  Index before = i - begin;
  for (int s = 0; s < few_splitters; ++s) {
    const auto sum = [=](auto count) HWY_ATTR {
      alignas(64) hn::TFromD<decltype(du)> lane[hn::MaxLanes(du)];
      hn::Store(count, du, lane);
      return std::accumulate(lane, lane + lanes, Index{0});
    };
    const Index above = sum(beyond[s]), here = s && splitters[s] == splitters[s - 1] ? 0 : sum(equal[s]);
    counts[s << equality] += before - above - here;
    if constexpr (equality) counts[2 * s + 1] += here;
    before = above;
  }
  counts[few_splitters << equality] += before;
}

// Where the next number of each part goes.
template <class T, class Access>
struct Places {
  Access access;
  T *next[few_parts], *end[few_parts];

  // Moves the numbers of up to `most` vectors, and returns of how many: of as many as surely fit. Each is
  // stored whole, though but its first numbers are the part's; what is behind them is written over. A part
  // that has no room for a vector has a spare one.
  template <class Parts>
  HWY_INLINE Index move(const Parts& parts, const T* numbers, Index most) {
    const auto d = parts.d;
    const auto lanes = static_cast<Index>(hn::Lanes(d));
    HWY_ALIGN T spare[few_parts][2 * hn::MaxLanes(d)];
    T* at[few_parts];
    Index vectors = most;
    for (int part = 0; part < few_parts; ++part) {
      const Index room = (end[part] - next[part]) / lanes;
      at[part] = room ? next[part] : spare[part];
      if (room) vectors = std::min(vectors, room);
    }
    for (Index v = 0; v < vectors; ++v) {
      const auto x = hn::LoadU(d, load_n(access, numbers + v * lanes, lanes));
      parts(x, [&](int part, auto mask) HWY_ATTR {
        const auto count = static_cast<Index>(hn::CountTrue(d, mask));
        hn::StoreU(hn::Compress(x, opaque(mask)), d, store_n(access, at[part], count));
        at[part] += count;
      });
    }
    for (int part = 0; part < few_parts; ++part)
      if (end[part] - next[part] >= lanes)
        next[part] = at[part];
      else
        for (const T* number = spare[part]; number < at[part]; ++number) put(*number, next[part]++);
    return vectors;
  }

 private:
  // As a vector of one lane: of a loop of plain stores gcc makes `rep movsq`, which takes longer to start.
  HWY_INLINE void put(T number, T* place) const {
    const hn::CappedTag<T, 1> d;
    hn::StoreU(hn::Set(d, number), d, store_n(access, place, 1));
  }
};

// Calls body(vectors' parts, single numbers' parts).
template <class T, class Body>
HWY_INLINE void with_parts(const FewSplitters<T>& splitters, Body body) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  if (splitters.equality)
    body(Parts<decltype(d), true>(d, splitters.splitter),
         Parts<decltype(one), true>(one, splitters.splitter));
  else
    body(Parts<decltype(d), false>(d, splitters.splitter),
         Parts<decltype(one), false>(one, splitters.splitter));
}

template <class T, class Access>
void count_numbers(VectorView<const T, Access> numbers, const FewSplitters<T>& splitters,
                   Index (&counts)[2 * few_parts]) {
  with_parts(splitters, [&](const auto& parts, const auto& single) HWY_ATTR {
    Index i = 0;
    count_vectors(parts, numbers, i, splitters.splitter, counts);
    count_vectors(single, numbers, i, splitters.splitter, counts);
  });
}

template <class T, class Access>
void move_numbers(VectorView<const T, Access> numbers, const FewSplitters<T>& splitters,
                  VectorView<T, Access> to, const Index (&begin)[few_parts], const Index (&end)[few_parts]) {
  if (std::equal(begin, begin + few_parts, end)) return;
  Places<T, Access> places{numbers.access(), {}, {}};
  for (int part = 0; part < few_parts; ++part)
    places.next[part] = to.data + begin[part], places.end[part] = to.data + end[part];
  with_parts(splitters, [&](const auto& parts, const auto& single) HWY_ATTR {
    const auto lanes = static_cast<Index>(hn::Lanes(parts.d));
    Index i = 0;
    while (i + lanes <= numbers.size)
      i += lanes * places.move(parts, numbers.data + i, (numbers.size - i) / lanes);
    while (i < numbers.size) i += places.move(single, numbers.data + i, numbers.size - i);
  });
}

template <class D, class T, class Access>
HWY_INLINE bool vectors_in_order(D d, VectorView<const T, Access> numbers, bool falling, Index& i) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto wrong = hn::FirstN(d, 0);
  for (; i + lanes < numbers.size; i += lanes) {
    const auto load = [=](const T* at) HWY_ATTR { return hn::LoadU(d, load_n(numbers.access(), at, lanes)); };
    const auto before = load(numbers.data + i), after = load(numbers.data + i + 1);
    // The processor fetches ahead to the end of a page.
    hwy::Prefetch(reinterpret_cast<const char*>(numbers.data + i) + 4096);
    wrong = hn::Or(wrong, falling ? hn::Lt(before, after) : hn::Lt(after, before));
  }
  return hn::AllFalse(d, wrong);
}
template <class T, class Access>
bool in_order(VectorView<const T, Access> numbers, bool falling) {
  Index i = 0;
  return vectors_in_order(hn::ScalableTag<T>(), numbers, falling, i) &&
         vectors_in_order(hn::CappedTag<T, 1>(), numbers, falling, i);
}

template <class T, class Access>
constexpr NumberKernels<T, Access> kernels{&in_order<T, Access>, &count_numbers<T, Access>,
                                           &move_numbers<T, Access>};
template <class Access>
constexpr NumberTexts<Access> text{kernels<std::uint32_t, Access>, kernels<std::uint64_t, Access>,
                                   kernels<std::int32_t, Access>, kernels<std::int64_t, Access>,
                                   kernels<double, Access>};

const CompiledTexts<NumberTexts>* Texts() {
  static constexpr CompiledTexts<NumberTexts> texts{text<Plain>, text<Traced<AnySink>>};
  return &texts;
}

}  // namespace tallcache::cpu::sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::sort {

HWY_EXPORT(Texts);

const CompiledTexts<NumberTexts>& number_texts() { return *HWY_DYNAMIC_DISPATCH(Texts)(); }

}  // namespace tallcache::cpu::sort
#endif
