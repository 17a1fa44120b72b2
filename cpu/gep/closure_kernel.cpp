#include "cpu/gep/closure_kernel.hpp"

#include <algorithm>
#include <bit>

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/gep/closure_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::gep::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Word = std::uint64_t;
using Words = hn::CappedTag<Word, HWY_HAVE_SCALABLE ? 1 : tile_words>;
constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Words()));
constexpr int vectors = tile_words / lanes;

/// A row of a tile.
struct Row {
  hn::Vec<Words> part[vectors];

  template <class Access>
  HWY_INLINE static Row load(const Word* from, Access access) {
    Row row;
#pragma GCC unroll 8
    for (int c = 0; c < vectors; ++c)
      row.part[c] = hn::LoadU(Words(), load_n(access, from + c * lanes, lanes));
    return row;
  }
  template <class Access>
  HWY_INLINE void store(Word* to, Access access) const {
#pragma GCC unroll 8
    for (int c = 0; c < vectors; ++c) hn::StoreU(part[c], Words(), store_n(access, to + c * lanes, lanes));
  }
  HWY_INLINE void unite(const Row& other) {
#pragma GCC unroll 8
    for (int c = 0; c < vectors; ++c) part[c] = hn::Or(part[c], other.part[c]);
  }
};

/// All unions of eight rows; `unions` has room for 256.
template <class Access>
HWY_INLINE void unite_all(Word* unions, const Word* v, Access access) {
  std::fill_n(unions, tile_words, Word{});
  for (int bit = 0; bit < 8; ++bit) {
    const Row row = Row::load(v + bit * tile_words, access);
    const int half = 1 << bit;
    for (int set = 0; set < half; ++set) {
      Row with = Row::load(unions + set * tile_words, Plain());
      with.unite(row);
      with.store(unions + (half + set) * tile_words, Plain());
    }
  }
}

/// Rows [from, to) by bits [begin, end), which begin at a multiple of 16 and end at one of 8.
template <class Access>
HWY_NOINLINE void unite_rows(Word* x, const Word* u, const Word* v, Index from, Index to, Index begin,
                             Index end, Access access) {
  HWY_ALIGN Word unions[2][256 * tile_words];
  for (Index k = begin; k < end; k += 16) {
    const bool has_two = k + 8 < end;
    unite_all(unions[0], v + k * tile_words, access);
    if (has_two) unite_all(unions[1], v + (k + 8) * tile_words, access);
    for (Index i = from; i < to; ++i) {
      const Word bits = Word(access.at(u + i * tile_words + k / 64)) >> (k % 64);
      const Word first = bits & 0xff, second = has_two ? bits >> 8 & 0xff : 0;
      if ((first | second) == 0) continue;
      Row row = Row::load(x + i * tile_words, access);
      row.unite(Row::load(unions[0] + first * tile_words, Plain()));
      if (second) row.unite(Row::load(unions[1] + second * tile_words, Plain()));
      row.store(x + i * tile_words, access);
    }
  }
}

/// The same, row by row: where the unions would take longer than the rows.
template <class Access>
void unite_few_rows(Word* x, const Word* u, const Word* v, Index rows, Index depth, Access access) {
  for (Index i = 0; i < rows; ++i) {
    Row row = Row::load(x + i * tile_words, access);
    for (Index w = 0; 64 * w < depth; ++w)
      for (Word bits = access.at(u + i * tile_words + w); bits; bits &= bits - 1)
        row.unite(Row::load(v + (64 * w + std::countr_zero(bits)) * tile_words, access));
    row.store(x + i * tile_words, access);
  }
}

template <class Access>
void Product(Word* x, const Word* u, const Word* v, Index rows, Index depth, Access access) {
  if (rows < 64) return unite_few_rows(x, u, v, rows, depth, access);
  unite_rows(x, u, v, 0, rows, 0, (depth + 7) / 8 * 8, access);
}

template <class Access>
void Diagonal(Word* x, Index rows, Index depth, Access access) {
  for (Index begin = 0; begin < depth; begin += 64) {
    const Index end = std::min(begin + 64, depth);
    // First among the rows of a word: what these reach is then what the others need of them.
    for (Index k = begin; k < end; ++k) {
      const Row by = Row::load(x + k * tile_words, access);
      for (Index i = begin; i < end; ++i) {
        Word* const to = x + i * tile_words;
        if (!(Word(access.at(to + begin / 64)) >> (k - begin) & 1)) continue;
        Row row = Row::load(to, access);
        row.unite(by);
        row.store(to, access);
      }
    }
    const Index last = begin + (end - begin + 7) / 8 * 8;
    if (begin > 0) unite_rows(x, x, x, 0, begin, begin, last, access);
    if (end < rows) unite_rows(x, x, x, end, rows, begin, last, access);
  }
}

template <class Access>
void Unite(Word* x, const Word* v, Index count, Access access) {
  const hn::ScalableTag<Word> d;
  const auto step = static_cast<Index>(hn::Lanes(d));
  Index w = 0;
  for (; w + step <= count; w += step) {
    const auto both =
        hn::Or(hn::LoadU(d, load_n(access, v + w, step)), hn::LoadU(d, load_n(access, x + w, step)));
    hn::StoreU(both, d, store_n(access, x + w, step));
  }
  for (; w < count; ++w) access.at(x + w) = Word(access.at(x + w)) | Word(access.at(v + w));
}

template <class Access>
constexpr ClosureText<Access> text{&Diagonal<Access>, &Product<Access>, &Unite<Access>};

const CompiledTexts<ClosureText>* KernelClosure() {
  static constexpr CompiledTexts<ClosureText> kernel{text<Plain>, text<Traced<AnySink>>};
  return &kernel;
}

}  // namespace tallcache::cpu::gep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::gep {

HWY_EXPORT(KernelClosure);

const CompiledTexts<ClosureText>& closure_kernel() { return *HWY_DYNAMIC_DISPATCH(KernelClosure)(); }

}  // namespace tallcache::cpu::gep
#endif
