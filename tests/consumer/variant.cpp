// The README's variant: its record is made as a line of a list makes it, and its text runs.
#include <vector>

#include "by_pairs.hpp"

int main() {
  using namespace tallcache;
  static constexpr auto records =
      variant_records<cpu::transpose::by_pairs>("by_pairs", "cpu", /*peer=*/false);
  const Index m = 7, n = 5;
  std::vector<double> a(m * n), b(n * m);
  for (Index i = 0; i < m * n; ++i) a[i] = static_cast<double>(i);
  const Transpose<double>::Args<> args{.b = {b.data(), n, m, m}, .a = {a.data(), m, n, n}};
  for (Entry entry : records[1].entries) entry(&args, {}, Launch{.threads = usable_threads()});
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      if (b[j * m + i] != a[i * n + j]) return 1;
}
