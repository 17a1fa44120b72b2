#include "cpu/counting_sort/few_pairs.hpp"

#include <hwy/base.h>

#include <algorithm>
#include <cstring>

namespace tallcache::cpu::counting_sort {
namespace {

// Turns counts into their exclusive prefix sums. The lanes of one product are the sums of four counts; their
// total is at most 65535, so that no lane carries into the next.
void begins_of(std::uint16_t* counts, Index size) {
  static_assert(most_few_pairs <= 65535);
  constexpr std::uint64_t ones = 0x0001000100010001u;
  std::uint64_t before = 0;
  for (Index v = 0; v < size; v += 4) {
    std::uint64_t four;
    std::memcpy(&four, counts + v, sizeof four);
    const std::uint64_t ends = four * ones, begins = (ends << 16) + before * ones;
    std::memcpy(counts + v, &begins, sizeof begins);
    before += ends >> 48;
  }
}

template <bool ranked>
void sort(const Word* HWY_RESTRICT keys, const Word* HWY_RESTRICT payload, Index n, Index values,
          Word* HWY_RESTRICT out, Word* HWY_RESTRICT payload_out, std::uint16_t* begin, std::uint16_t* rank,
          Word* HWY_RESTRICT stage) {
  const Index size = FewPairs<Plain>::counters(values);
  std::fill_n(begin, size, std::uint16_t{0});
  HWY_UNROLL(8)
  for (Index i = 0; i < n; ++i) {
    const std::uint16_t before = begin[keys[i]]++;
    if constexpr (ranked) rank[i] = before;
  }
  begins_of(begin, size);
  HWY_UNROLL(8)
  for (Index i = 0; i < n; ++i) {
    const Word key = keys[i];
    const Word position = ranked ? Word{begin[key]} + rank[i] : Word{begin[key]++};
    stage[position] = key << 16 | static_cast<Word>(i);
  }
  for (Index i = 0; i < n; ++i) out[i] = stage[i] >> 16;
  HWY_UNROLL(8)
  for (Index i = 0; i < n; ++i) payload_out[i] = payload[stage[i] & 0xffff];
}

}  // namespace

void sort_few_pairs(const Word* keys, const Word* payload, Index n, Index values, Word* out,
                    Word* payload_out, std::uint16_t* begin, std::uint16_t* rank, Word* stage) {
  (notes_ranks(n) ? sort<true> : sort<false>)(keys, payload, n, values, out, payload_out, begin, rank, stage);
}

}  // namespace tallcache::cpu::counting_sort
