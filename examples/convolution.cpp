// The product of two polynomials by Fourier transforms, beside the schoolbook's.
#include <tallcache/convolution.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const std::size_t n = 1001;  // coefficients
  std::vector<double> a(n), b(n), schoolbook(2 * n - 1);
  for (std::size_t i = 0; i < n; ++i) a[i] = std::sin(i + 1.0), b[i] = std::cos(i * i + 2.0);

  const std::vector<double> c = tallcache::convolve(a, b);

  double error = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) schoolbook[i + j] += a[i] * b[j];
  for (std::size_t i = 0; i < c.size(); ++i) error = std::max(error, std::abs(c[i] - schoolbook[i]));
  std::printf("%zu coefficients, largest difference %.1e\n", c.size(), error);
  return error < 1e-11 ? 0 : 1;
}
