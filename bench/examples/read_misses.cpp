// A plain PAPI program. It reads the cache misses of REC-TRANSPOSE on a simulated cache with PAPI's own
// calls, by name, as it would read the processor's counters. It only has to link tallcache_sde. The cache
// here is direct-mapped, with 512 lines of 64 bytes; common/cache has the real models.
#include <papi.h>

#include <cstdio>
#include <vector>

#include "common/fork/fork.hpp"
#include "common/papi/simulated.hpp"
#include "common/traced.hpp"
#include "cpu/transpose/recursive.hpp"

struct DirectMapped {
  std::vector<std::uintptr_t> lines = std::vector<std::uintptr_t>(512);
  void load(const void* address, std::size_t) {
    const auto line = reinterpret_cast<std::uintptr_t>(address) / 64;
    if (lines[line % 512] != line) tallcache::simulated_counters().add(tallcache::Simulated::l1_misses, 1);
    lines[line % 512] = line;
  }
  void store(const void* address, std::size_t bytes) { load(address, bytes); }
};

int main() {
  constexpr tallcache::Index n = 512;
  std::vector<double> a(n * n, 1.0), b(n * n);
  DirectMapped cache;
  tallcache::Traced<DirectMapped> traced{&cache};
  tallcache::simulated_counters().publish({tallcache::Simulated::l1_misses});

  int events = PAPI_NULL;
  long long misses = 0;
  const auto check = [](int result) {
    if (result != PAPI_OK) std::fprintf(stderr, "PAPI: %s\n", PAPI_strerror(result)), std::exit(1);
  };
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;
  check(PAPI_create_eventset(&events));
  check(PAPI_add_named_event(events, "sde:::tallcache::L1_DCM"));
  check(PAPI_start(events));
  tallcache::Serial serial;
  tallcache::cpu::transpose::rec_transpose(
      serial, tallcache::MatrixView<double>{b.data(), n, n, n}.with(traced),
      tallcache::MatrixView<const double>{a.data(), n, n, n}.with(traced), 32);
  check(PAPI_stop(events, &misses));
  std::printf("sde:::tallcache::L1_DCM = %lld\n", misses);
}
