// Helpers of several tests: names of variants and problems, and candidates with parameters other than
// the default.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/fork/one_tbb.hpp"
#include "common/fork/policy.hpp"
#include "common/measure/harness.hpp"

namespace tallcache::test {

/// Whether the tests run under a sanitizer, several times as slowly.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Where a GPU is required, as on the machine of the committed results, its tests do not skip.
inline bool gpu_required() {
  const char* required = std::getenv("TALLCACHE_REQUIRE_GPU");
  return required && std::string_view(required) == "1";
}

/// How many kinds of input a test runs where `most` are wanted. Under a sanitizer those of keys alone, which
/// decide a sort's way; other accesses depend on the shape.
inline std::size_t inputs_to_run(const Operation& operation, std::size_t most) {
  const bool of_keys = operation.name.find("sort") != std::string_view::npos;
  return std::min(sanitized && !of_keys ? 1 : most, operation.inputs.size());
}

/// "matmul_double_cpu_tiled": a name that GoogleTest accepts.
inline std::string identifier(const Variant& variant) {
  std::string name;
  for (std::string_view part :
       {variant.operation->name, variant.operation->element, variant.backend, variant.name}) {
    if (!name.empty()) name += '_';
    name += part;
  }
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

inline std::string describe(const Candidate& candidate, const Problem& problem) {
  const std::string params = to_string(candidate.params);
  return identifier(*candidate.variant) + (params.empty() ? "" : " " + params) + " at " +
         to_string(*problem.operation, problem.shape) + ", " + std::string(problem.input);
}

/// The largest size of a shape, its padding apart.
inline Index largest_size(const Shape& shape) {
  Index largest = 0;
  for (const auto& item : shape)
    if (item.name != "pad" && item.name != "range") largest = std::max(largest, item.value);
  return largest;
}

/// An allowed value of a parameter near `value`: the greatest choice up to it, or at least the minimum.
inline Index allowed_value(const ParamSpec& spec, Index value) {
  if (spec.choices.empty()) return std::max(value, spec.min);
  Index allowed = spec.choices.front();
  for (Index choice : spec.choices)
    if (choice <= value) allowed = std::max(allowed, choice);
  return allowed;
}

/// The numbers of threads that a test runs on, from 1 to 4, where the machine has as many.
inline std::vector<int> thread_counts() {
  std::vector<int> counts;
  for (int threads = 1; threads <= std::min(usable_threads(), 4); ++threads) counts.push_back(threads);
  return counts;
}

/// The fork policies that a test runs under on so many threads: they change when a strand runs, not what it
/// does. One thread has none to choose, and a sanitizer sees the accesses under the default one.
inline std::span<const ForkPolicy> policies_of(int threads) {
  static constexpr std::array default_alone{default_fork_policy};
  if (sanitized) return default_alone;
  return std::span(fork_policies).first(threads > 1 ? fork_policies.size() : 1);
}

/// Divides as for 16 threads, on any machine, and runs in program order.
struct SerialOf16 : Serial {
  static constexpr Index width() { return 16; }
};

/// `action` throws Error with one line that contains `expected`.
template <class Action>
void expect_error(Action&& action, std::string_view expected) {
  try {
    action();
    ADD_FAILURE() << "no error, instead of one about: " << expected;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace tallcache::test
