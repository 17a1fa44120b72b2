#include <tallcache/catalogue.hpp>
#include <tallcache/matmul.hpp>

#include <vector>

int main() {
  using namespace tallcache;
  const Index m = 300, n = 200, k = 100;
  std::vector<double> a(m * k, 1), b(k * n, 2), c(m * n);
  const MatrixView<double> A{a.data(), m, k, k}, B{b.data(), k, n, n};  // data, rows, cols, ld
  const MatrixView<double> C{c.data(), m, n, n};

  execute<Matmul<double>>("recursive", {C, A, B});  // any variant by its name; arguments are checked
  gemm(C, A, B);                                    // the fastest; its scratch is kept for the next call
  zero(C);
  Serial fork;
  rec_mult(fork, C, A, B, /*base=*/64);  // the bare template, under any fork policy: C += A B
  return c[0] == 2.0 * k && c[m * n - 1] == 2.0 * k ? 0 : 1;
}
