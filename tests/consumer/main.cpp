// C = A B on a caller's own arrays: by name through the catalogue, and as the template itself.
#include <common/catalogue.hpp>
#include <cpu/matmul/recursive.hpp>

int main() {
  double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 2, 3, 4, 5, 6}, c[4] = {}, d[4] = {};
  const double expected[] = {22, 28, 49, 64};
  const tallcache::MatrixView<const double> A{a, 2, 3, 3}, B{b, 3, 2, 2};
  tallcache::execute<tallcache::Matmul<double>>("tiled", {{c, 2, 2, 2}, A, B}, {{"tile_m", 32}});
  tallcache::Serial fork;
  tallcache::cpu::matmul::rec_mult(fork, tallcache::MatrixView<double>{d, 2, 2, 2}, A, B, 1);
  for (int i = 0; i < 4; ++i)
    if (c[i] != d[i] || c[i] != expected[i]) return 1;
}
