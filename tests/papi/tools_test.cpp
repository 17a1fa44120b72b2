// The simulated events seen from outside the suite: by PAPI's own tool, and by a program that knows
// PAPI alone.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/papi/counters.hpp"

namespace tallcache::test {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return text;
  for (char buffer[4096]; const std::size_t size = fread(buffer, 1, sizeof buffer, pipe);)
    text.append(buffer, size);
  pclose(pipe);
  return text;
}

TEST(PapiTools, ListTheSimulatedEvents) {
  if (sanitized) GTEST_SKIP() << "PAPI's tool, which has no sanitizer in it, cannot load a library that has";
  if (output_of("papi_native_avail --help").find("-sde") == std::string::npos)
    GTEST_SKIP() << "papi_native_avail is not installed (papi-tools), or too old for -sde";
  for (const char* file : {TALLCACHE_SDE_LIBRARY, READ_MISSES}) {
    const std::string list = output_of(std::string("papi_native_avail -sde '") + file + "'");
    for (const SimulatedEvent& event : simulated_events()) {
      EXPECT_NE(list.find("sde:::tallcache::" + std::string(event.name) + " "), list.npos)
          << file << event.name;
      EXPECT_NE(list.find(std::string(event.description.substr(0, 40))), list.npos) << file << event.name;
    }
  }
}

TEST(PapiTools, PlainProgramReadsASimulatedEvent) {
  long long misses = -1;
  const std::string output = output_of(std::string("'") + READ_MISSES + "'");
  ASSERT_EQ(std::sscanf(output.c_str(), "sde:::tallcache::L1_DCM = %lld", &misses), 1) << output;
  EXPECT_GE(misses, 2 * 512 * 512 / 8);  // each line of both matrices at least once,
  EXPECT_LE(misses, 2 * 512 * 512);      // and each access at most once
}

}  // namespace
}  // namespace tallcache::test
