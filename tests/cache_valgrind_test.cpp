// Compares the hierarchy with valgrind's cache simulator, on the same accesses of the same code. The test
// runs itself under callgrind, which counts inside one function only.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/cache/hierarchy.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/tracer.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/transpose/naive.hpp"
#include "tests/support.hpp"

// The name that callgrind is given. Calls inside it are counted too. noipa: gcc 12 at -O3 clones it for
// constant arguments, under names that callgrind is not given.
#ifdef __clang__
#define TALLCACHE_NOT_CLONED __attribute__((noinline))
#else
#define TALLCACHE_NOT_CLONED __attribute__((noipa))
#endif
extern "C" TALLCACHE_NOT_CLONED void tallcache_counted_by_callgrind(void (*run)(void*), void* argument) {
  run(argument);
  asm volatile("" ::: "memory");
}

namespace tallcache::cache {
namespace {

constexpr CacheLevel first{16384, 4, 64}, last{65536, 8, 64};

/// Traces nothing and keeps the accesses as written: the compiler may neither reorder nor drop any.
struct Untraced {
  void load(const void*, std::size_t) { asm volatile("" ::: "memory"); }
  void store(const void*, std::size_t) { asm volatile("" ::: "memory"); }
};

/// Runs V with caches that hold none of its data. Callgrind counts it.
template <class V>
struct Counted : V {
  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    std::vector<char> other(4 * last.bytes);
    for (char& byte : other) *const_cast<volatile char*>(&byte) = 1;
    auto body = [&] { V::run(fork, args, params); };
    tallcache_counted_by_callgrind([](void* argument) { (*static_cast<decltype(body)*>(argument))(); },
                                   &body);
  }
};

// Prints the model's misses and repeats the run for callgrind. The direct-mapped caches are wrong on purpose.
template <class V, class Op>
void subject(const Shape& shape) {
  const std::vector<CacheLevel> right{first, last}, wrong{{first.bytes / 2, 1}, {last.bytes, 1}};
  Hierarchy model(right), halved(wrong);
  trace(64, {&model, &halved}, [&](Tracer& tracer) { run_traced<V, Op>(tracer, shape); });
  Untraced nothing;
  run_traced<Counted<V>, Op>(nothing, shape);
  std::printf("MODEL %llu %llu %llu\n", static_cast<unsigned long long>(model.counts(0).misses()),
              static_cast<unsigned long long>(model.counts(1).misses()),
              static_cast<unsigned long long>(halved.counts(0).misses()));
}

// Not tests: programs that the test below runs under callgrind.
TEST(CallgrindSubject, DISABLED_naive_matmul) {
  subject<cpu::matmul::naive, Matmul<double>>({{"m", 70}, {"n", 70}, {"k", 70}, {"pad", 1}});
}
TEST(CallgrindSubject, DISABLED_naive_transpose) {
  subject<cpu::transpose::naive, Transpose<double>>({{"m", 300}, {"n", 300}, {"pad", 0}});
}
TEST(CallgrindSubject, DISABLED_counting_sort) {
  subject<cpu::counting_sort::classical, CountingSort<false>>({{"n", 40000}, {"range", 30000}});
}

std::string simulated(const CacheLevel& level) {
  return std::to_string(level.bytes) + "," + std::to_string(level.ways) + "," + std::to_string(level.line);
}

/// The totals of a callgrind output file by event name.
std::map<std::string, double> totals_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> events;
  std::map<std::string, double> totals;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "events:")
      for (std::string event; words >> event;) events.push_back(event);
    if (key == "totals:")
      for (const std::string& event : events) words >> totals[event];
  }
  return totals;
}

class AgainstCallgrind : public testing::TestWithParam<const char*> {};

TEST_P(AgainstCallgrind, MissesWithinTwoPercent) {
  if (test::sanitized) GTEST_SKIP() << "valgrind runs no program with a sanitizer";
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind is not installed";
  const std::string output = testing::TempDir() + "tallcache_callgrind_" + GetParam();
  const std::string command =
      "valgrind --tool=callgrind --cache-sim=yes --I1=16384,4,64 --D1=" + simulated(first) +
      " --LL=" + simulated(last) +
      " --toggle-collect=tallcache_counted_by_callgrind --callgrind-out-file=" + output + " /proc/" +
      std::to_string(getpid()) +
      "/exe --gtest_also_run_disabled_tests --gtest_filter=CallgrindSubject.DISABLED_" + GetParam() + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  for (char buffer[512]; std::fgets(buffer, sizeof(buffer), pipe);) said += buffer;
  ASSERT_EQ(pclose(pipe), 0) << said;

  unsigned long long model_first = 0, model_last = 0, halved = 0;
  const auto at = said.find("MODEL ");
  ASSERT_NE(at, std::string::npos) << said;
  ASSERT_EQ(std::sscanf(said.c_str() + at, "MODEL %llu %llu %llu", &model_first, &model_last, &halved), 3);
  auto totals = totals_of(output);
  std::remove(output.c_str());
  const double callgrind_first = totals["D1mr"] + totals["D1mw"],
               callgrind_last = totals["DLmr"] + totals["DLmw"];
  ASSERT_GT(callgrind_last, 1000) << said;
  RecordProperty("model_first", std::to_string(model_first));
  RecordProperty("callgrind_first", std::to_string(callgrind_first));
  EXPECT_NEAR(static_cast<double>(model_first), callgrind_first, 0.02 * callgrind_first);
  EXPECT_NEAR(static_cast<double>(model_last), callgrind_last, 0.02 * callgrind_last);
  EXPECT_GT(std::abs(static_cast<double>(halved) - callgrind_first), 0.02 * callgrind_first)
      << "a direct-mapped cache of half the size passes as well";
  std::printf("first level: model %llu, callgrind %.0f; last: %llu, %.0f; halved first: %llu\n", model_first,
              callgrind_first, model_last, callgrind_last, halved);
}

INSTANTIATE_TEST_SUITE_P(Textbook, AgainstCallgrind,
                         testing::Values("naive_matmul", "naive_transpose", "counting_sort"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tallcache::cache
