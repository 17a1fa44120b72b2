// Fourier transforms of every size to 2048, and of primes to 10007.
#include <gtest/gtest.h>

#include "tests/fft_reference.hpp"

namespace tallcache::test {
namespace {

TEST(FftEverySize, To2048) {
  for (Index n = 513; n <= 2048; ++n) expect_transforms<double>(n);
}

TEST(FftEverySize, PrimesTo10007) {
  for (const Index n : {2053, 4099, 5003, 7001, 8191, 9001, 10007})
    expect_transforms<double>(n), expect_transforms<float>(n);
}

}  // namespace
}  // namespace tallcache::test
