#include "cpu/sort/doubles.hpp"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sort/doubles.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include <hwy/contrib/algo/find-inl.h>
#include <hwy/highway.h>

#include "cpu/peers/vqsort_library.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::sort::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

bool AllDiffer(const double* numbers, Index n) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto minus_zero = hn::Set(bits, std::uint64_t{1} << 63);
  auto wrong = hn::FirstN(d, 0);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto x = hn::LoadU(d, numbers + i);
    wrong = hn::Or(wrong, hn::Or(hn::IsNaN(x), hn::RebindMask(d, hn::Eq(hn::BitCast(bits, x), minus_zero))));
  }
  bool fine = hn::AllFalse(d, wrong);
  for (; i < n; ++i)
    fine = fine && !(std::isnan(numbers[i]) || (numbers[i] == 0 && std::signbit(numbers[i])));
  return fine;
}

bool HasInfinite(const double* numbers, Index n) {
  const auto size = static_cast<std::size_t>(n);
  const hn::ScalableTag<double> d;
  return hn::Find(d, std::numeric_limits<double>::infinity(), numbers, size) < size;
}

}  // namespace tallcache::cpu::sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::sort {

HWY_EXPORT(AllDiffer);
HWY_EXPORT(HasInfinite);

bool all_differ_by_value(const double* numbers, Index n) {
  return HWY_DYNAMIC_DISPATCH(AllDiffer)(numbers, n);
}

bool better_as_integers(const double* numbers, Index n) {
  constexpr Index sampled = 256, least = sampled / 4, many = 64 * sampled;
  if (HWY_DYNAMIC_DISPATCH(HasInfinite)(numbers, n)) return true;
  if (n < many) return false;
  double sample[sampled];
  for (Index i = 0; i < sampled; ++i) sample[i] = numbers[n / sampled * i];
  peers::vqsort_keys(sample, sampled);
  bool dominated = false;
  Index values = 1;
  for (Index i = 1; i < sampled; ++i) {
    values += sample[i] != sample[i - 1];
    dominated |= i + least < sampled && sample[i] == sample[i + least] && sample[0] < sample[i] &&
                 sample[i] < sample[sampled - 1];
  }
  return dominated && values > 4;
}

}  // namespace tallcache::cpu::sort
#endif
