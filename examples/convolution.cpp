// The product of two polynomials by Fourier transforms, beside the schoolbook's.
#include <tallcache/fft.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  const std::size_t degree = 1000, n = 2048;  // at least as many as coefficients of the product
  std::vector<double> a(n), b(n), c(n), schoolbook(n);
  for (std::size_t i = 0; i <= degree; ++i) a[i] = std::sin(i + 1.0), b[i] = std::cos(i * i + 2.0);

  tallcache::RealFftPlan<double> plan(n);
  std::vector<std::complex<double>> x(n / 2 + 1), y(n / 2 + 1);
  plan.forward(x, a);
  plan.forward(y, b);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] *= y[k] / static_cast<double>(n);
  plan.inverse(c, x);

  double error = 0;
  for (std::size_t i = 0; i <= degree; ++i)
    for (std::size_t j = 0; j <= degree; ++j) schoolbook[i + j] += a[i] * b[j];
  for (std::size_t i = 0; i < n; ++i) error = std::max(error, std::abs(c[i] - schoolbook[i]));
  std::printf("%zu coefficients, largest difference %.1e\n", 2 * degree + 1, error);
  return error < 1e-11 ? 0 : 1;
}
