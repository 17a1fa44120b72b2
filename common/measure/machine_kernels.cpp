#include "common/measure/machine_kernels.hpp"

#include <algorithm>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "common/measure/machine_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Latency x ports is 4 x 2 on Intel and AMD and 4 x 4 on the widest Arm cores. With 16 vector registers, 12
// chains, the factor and the addend fit; with 32, 24 chains do. More would spill.
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || \
    HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
inline constexpr std::size_t chains = 12;
#else
inline constexpr std::size_t chains = 24;
#endif

// Accumulators as a pack of parameters: vectors may be of a type without a size (SVE), which no array holds.
template <class D, class... Accumulators>
HWY_INLINE hn::TFromD<D> iterate(D d, std::uint64_t iterations, hn::Vec<D> factor, hn::Vec<D> addend,
                                 Accumulators... x) {
  for (; iterations > 0; --iterations) ((x = hn::MulAdd(x, factor, addend)), ...);
  hn::Vec<D> sum = hn::Zero(d);
  ((sum = hn::Add(sum, x)), ...);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <class T>
HWY_INLINE T run_chains(std::uint64_t iterations, T factor, T addend) {
  const hn::ScalableTag<T> d;
  return [&]<std::size_t... c>(std::index_sequence<c...>) HWY_ATTR {
    return iterate(d, iterations, hn::Set(d, factor), hn::Set(d, addend),
                   hn::Set(d, static_cast<T>(c + 1))...);
  }
  (std::make_index_sequence<chains>{});
}

float ChainsFloat(std::uint64_t n, float factor, float addend) { return run_chains(n, factor, addend); }
double ChainsDouble(std::uint64_t n, double factor, double addend) { return run_chains(n, factor, addend); }

// A core's prefetchers follow one stream a page: reading eight pages side by side gives 1.5 times the
// bandwidth of one page after the other (copying four: 1.4 times).
inline constexpr std::size_t page_words = 4096 / sizeof(std::uint64_t);

template <class D, class... Accumulators>
HWY_INLINE std::uint64_t sum_pages(D d, const std::uint64_t* words, std::size_t count, Accumulators... x) {
  constexpr std::size_t block = sizeof...(x) * page_words;
  std::size_t begin = 0;
  for (; begin + block <= count; begin += block)
    for (std::size_t i = begin; i < begin + page_words; i += hn::Lanes(d)) {
      const std::uint64_t* next = words + i;
      ((x = hn::Add(x, hn::LoadU(d, next)), next += page_words), ...);
    }
  hn::Vec<D> sum = hn::Zero(d);
  ((sum = hn::Add(sum, x)), ...);
  // Lane by lane: gcc's AVX-512 reduction adds signed words, whose overflow is undefined.
  HWY_ALIGN std::uint64_t lanes[hn::MaxLanes(d)];
  hn::Store(sum, d, lanes);
  std::uint64_t total = 0;
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) total += lanes[lane];
  for (; begin < count; ++begin) total += words[begin];
  return total;
}

std::uint64_t SumWords(const std::uint64_t* words, std::size_t count) {
  const hn::ScalableTag<std::uint64_t> d;
  const auto zero = hn::Zero(d);
  return sum_pages(d, words, count, zero, zero, zero, zero, zero, zero, zero, zero);
}

void StreamWords(std::uint64_t* to, const std::uint64_t* from, std::size_t count) {
  const hn::ScalableTag<std::uint64_t> d;
  constexpr std::size_t block = 4 * page_words;
  std::size_t begin = 0;
  for (; begin + block <= count; begin += block)
    for (std::size_t i = begin; i < begin + page_words; i += hn::Lanes(d)) {
      const auto v0 = hn::LoadU(d, from + i), v1 = hn::LoadU(d, from + i + page_words);
      const auto v2 = hn::LoadU(d, from + i + 2 * page_words), v3 = hn::LoadU(d, from + i + 3 * page_words);
      hn::Stream(v0, d, to + i);
      hn::Stream(v1, d, to + i + page_words);
      hn::Stream(v2, d, to + i + 2 * page_words);
      hn::Stream(v3, d, to + i + 3 * page_words);
    }
  std::copy_n(from + begin, count - begin, to + begin);
  hwy::FlushStream();
}

int Floats() { return static_cast<int>(hn::Lanes(hn::ScalableTag<float>())); }
int Doubles() { return static_cast<int>(hn::Lanes(hn::ScalableTag<double>())); }
int Chains() { return static_cast<int>(chains); }
bool Fused() { return HWY_NATIVE_FMA != 0; }
const char* Name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace tallcache::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache {

HWY_EXPORT(ChainsFloat);
HWY_EXPORT(ChainsDouble);
HWY_EXPORT(SumWords);
HWY_EXPORT(StreamWords);
HWY_EXPORT(Floats);
HWY_EXPORT(Doubles);
HWY_EXPORT(Chains);
HWY_EXPORT(Fused);
HWY_EXPORT(Name);

SimdTarget simd_target() {
  const int doubles = HWY_DYNAMIC_DISPATCH(Doubles)();
  return {.name = HWY_DYNAMIC_DISPATCH(Name)(),
          .floats = HWY_DYNAMIC_DISPATCH(Floats)(),
          .doubles = doubles,
          .bytes = static_cast<std::size_t>(doubles) * sizeof(double),
          .fused = HWY_DYNAMIC_DISPATCH(Fused)(),
          .chains = HWY_DYNAMIC_DISPATCH(Chains)()};
}
float multiply_add_chains(std::uint64_t iterations, float factor, float addend) {
  return HWY_DYNAMIC_DISPATCH(ChainsFloat)(iterations, factor, addend);
}
double multiply_add_chains(std::uint64_t iterations, double factor, double addend) {
  return HWY_DYNAMIC_DISPATCH(ChainsDouble)(iterations, factor, addend);
}
std::uint64_t sum_words(const std::uint64_t* words, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(SumWords)(words, count);
}
void stream_words(std::uint64_t* to, const std::uint64_t* from, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(StreamWords)(to, from, count);
}

bool chain_of_additions([[maybe_unused]] std::uint64_t steps) {
#if defined(__x86_64__)
  std::uint64_t x = 0, one = 1;
  for (; steps >= 16; steps -= 16)
    asm volatile(".rept 16\n\tadd %1, %0\n\t.endr" : "+r"(x) : "r"(one) : "cc");
  return true;
#elif defined(__aarch64__)
  std::uint64_t x = 0, one = 1;
  for (; steps >= 16; steps -= 16) asm volatile(".rept 16\n\tadd %0, %0, %1\n\t.endr" : "+r"(x) : "r"(one));
  return true;
#else
  return false;
#endif
}

}  // namespace tallcache
#endif
