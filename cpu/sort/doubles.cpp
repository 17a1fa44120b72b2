#include "cpu/sort/doubles.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sort/doubles.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include <hwy/highway.h>

#include "common/random.hpp"
#include "cpu/peers/vqsort_library.hpp"
#include "cpu/sort/number_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::sort::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether found(tag, at), a mask, holds somewhere in [numbers, numbers + n). A part of the last vector may
// have been seen before.
template <class D, class Found>
bool AnyBy(D d, const double* numbers, Index n, Found found) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto any = hn::FirstN(d, 0);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) any = hn::Or(any, found(d, numbers + i));
  if (i < n) any = hn::Or(any, found(d, numbers + n - lanes));
  return !hn::AllFalse(d, any);
}
template <class Found>
bool Any(const double* numbers, Index n, Found found) {
  const hn::ScalableTag<double> d;
  return n >= static_cast<Index>(hn::Lanes(d)) ? AnyBy(d, numbers, n, found)
                                               : AnyBy(hn::CappedTag<double, 1>(), numbers, n, found);
}

// Most doubles are finite, and none of them is -0: one pass says so.
void See(const double* numbers, Index n, bool& differ_by_value, bool& finite) {
  const auto is_minus_zero = [](auto d, auto x) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> ds;
    return hn::RebindMask(d,
                          hn::Eq(hn::BitCast(ds, x), hn::Set(ds, std::numeric_limits<std::int64_t>::min())));
  };
  finite = !Any(numbers, n, [&](auto d, const double* at) HWY_ATTR {
    const auto x = hn::LoadU(d, at);
    return hn::Or(is_minus_zero(d, x), hn::Not(hn::IsFinite(x)));
  });
  differ_by_value = finite || !Any(numbers, n, [&](auto d, const double* at) HWY_ATTR {
                      const auto x = hn::LoadU(d, at);
                      return hn::Or(is_minus_zero(d, x), hn::IsNaN(x));
                    });
}

// Turns the bits of doubles into integers of the same order, or these back: those below 0 fall with their
// magnitude.
void Turn(double* numbers, Index n) {
  const auto turn = [numbers](auto d, Index i) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> ds;
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto bits = hn::BitCast(ds, hn::LoadU(d, numbers + i));
    const auto below = hn::ShiftRight<1>(hn::BitCast(du, hn::BroadcastSignBit(bits)));
    hn::StoreU(hn::BitCast(d, hn::Xor(hn::BitCast(du, bits), below)), d, numbers + i);
  };
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) turn(d, i);
  for (; i < n; ++i) turn(hn::CappedTag<double, 1>(), i);
}

}  // namespace tallcache::cpu::sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::sort {

HWY_EXPORT(See);
HWY_EXPORT(Turn);

DoublesSeen::DoublesSeen(const double* numbers, Index n) {
  HWY_DYNAMIC_DISPATCH(See)(numbers, n, differ_by_value, finite);
}

bool repeats_between_others(const double* numbers, Index n) {
  constexpr Index least = 16, most = 512, many = 128;
  if (n < many * least) return false;
  std::int64_t sample[most];
  const Index sampled = std::min(most, n / many);
  for (Index i = 0; i < sampled; ++i) {
    const auto at = random_up_to(static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(i),
                                 static_cast<std::uint64_t>(n - 1));
    sample[i] = std::bit_cast<std::int64_t>(numbers[at]);
  }
  peers::vqsort_keys(sample, sampled);
  Index single = 0;
  for (Index i = 0; i < sampled; ++i)
    single += (i == 0 || sample[i] != sample[i - 1]) && (i + 1 == sampled || sample[i] != sample[i + 1]);
  return single > 0 && 10 * (sampled - single) >= sampled;
}

void vqsort_by_value(double* numbers, Index n, bool finite) {
  if (finite && !repeats_between_others(numbers, n)) {
    peers::vqsort_keys(numbers, n);
    if (number_kernels<double>(Plain{}).in_order({numbers, n}, false)) return;
  }
  HWY_DYNAMIC_DISPATCH(Turn)(numbers, n);
  peers::vqsort_keys(reinterpret_cast<std::int64_t*>(numbers), n);
  HWY_DYNAMIC_DISPATCH(Turn)(numbers, n);
}

}  // namespace tallcache::cpu::sort
#endif
