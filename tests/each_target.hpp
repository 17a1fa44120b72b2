// A body on each SIMD target of the suite's kernels that this processor has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>

namespace tallcache::test {

template <class Body>
void for_each_target(const Body& body) {
  for (const std::int64_t target : {std::int64_t{HWY_STATIC_TARGET}, std::int64_t{HWY_AVX3},
                                    std::int64_t{HWY_AVX2}, std::int64_t{HWY_NEON}}) {
    if (!(hwy::SupportedTargets() & target)) continue;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

}  // namespace tallcache::test
