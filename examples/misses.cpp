// The misses of a function of one's own in caches of every size, counted by PAPI while its own text runs.
#include <tallcache/count.hpp>
#include <tallcache/trace.hpp>

#include <cstdio>

using namespace tallcache;

void transpose(auto b, auto a) {  // a text for views of memory and for traced ones
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) b(j, i) = a(i, j);
}

int main() {
  alignas(64) static double a[256 * 256], b[256 * 256];
  simulated_counters().publish({Simulated::lru_misses});
  const Counting counting({std::string(papi_name(Simulated::lru_misses))});
  for (long long lines = 16, misses = 0; misses != 2 * 256 * 256 / 8; lines *= 2) {  // until each misses once
    const auto counts = counting.run([&] {
      cache::LruCache ideal(static_cast<std::size_t>(lines));
      cache::trace(64, {&ideal}, [&](cache::Tracer& tracer) {
        const Traced<cache::Tracer> traced{&tracer};
        transpose(MatrixView<double>{b, 256, 256, 256}.with(traced),
                  MatrixView<double>{a, 256, 256, 256}.with(traced));
      });
      simulated_counters().add(Simulated::lru_misses, static_cast<long long>(ideal.misses()));
    });
    std::printf("%lld lines of 64 bytes: %lld misses\n", lines, misses = counts[0].value.value());
  }
}
