// The variants of a sort on problems drawn from the families of keys (common/key_inputs.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalogue.hpp"
#include "common/key_inputs.hpp"
#include "common/measure/harness.hpp"

namespace tallcache::test {

inline constexpr Index most_tested_n = Index{1} << 17;
/// Bytes of one variant: those that count every value of a range have more for one of 2^32, and take seconds.
inline std::size_t most_tested_scratch(Index n) {
  return (std::size_t{1} << 22) + 16 * static_cast<std::size_t>(n);
}

/// TALLCACHE_DRAW_SEED, where it is set: other draws than those of every day.
inline std::uint64_t draw_seed() {
  const char* seed = std::getenv("TALLCACHE_DRAW_SEED");
  return seed ? std::strtoull(seed, nullptr, 0) : 1;
}

/// "tallcache run sort quicksort --element uint32 --shape n=300 --input 'zipf:s=1.3' --seed 7"
inline std::string rerun_text(const Candidate& candidate, const Problem& problem) {
  const Variant& variant = *candidate.variant;
  const Operation& operation = *problem.operation;
  std::string text = "tallcache run " + std::string(operation.name) + " " + std::string(variant.name) +
                     " --element " + std::string(operation.element) + " --backend " +
                     std::string(variant.backend) + " --shape " + to_string(operation, problem.shape) +
                     " --input '" + std::string(problem.input) + "' --seed " + std::to_string(problem.seed);
  if (candidate.threads > 1) text += " --threads " + std::to_string(candidate.threads);
  return text;
}

struct VerifiedDraws {
  std::map<std::string_view, int> count;  ///< the draws on which a variant ran, by its name
  /// A line for each wrong result: the command that runs it again, and what is wrong.
  std::vector<std::string> wrong;
};

/// Verifies each variant of one operation on draws 0, 1, ... of a seed, on every second one by two threads
/// where it runs on several.
inline VerifiedDraws verify_draws(std::span<const Variant* const> variants, Executor& executor, int draws,
                                  std::uint64_t seed = draw_seed(), Index max_n = most_tested_n) {
  VerifiedDraws verified;
  const Operation& operation = *variants.front()->operation;
  for (int i = 0; i < draws; ++i) {
    const KeyDraw draw = draw_keys(seed, static_cast<std::uint64_t>(i), max_n);
    const std::string input = draw.input(operation);
    Workspace workspace({&operation, draw.shape(operation), input, static_cast<std::uint64_t>(i)}, executor);
    for (const Variant* variant : variants) {
      const Candidate candidate{.variant = variant, .threads = variant->parallel ? 1 + i % 2 : 1};
      if (!before_running(workspace.problem(), candidate).reason.empty() ||
          scratch_bytes(workspace.problem(), candidate) > most_tested_scratch(draw.n))
        continue;
      ++verified.count[variant->name];
      if (const Check check = workspace.verify(candidate); !check)
        verified.wrong.push_back(rerun_text(candidate, workspace.problem()) + ": " + check.message() +
                                 " (draw " + std::to_string(i) +
                                 " of TALLCACHE_DRAW_SEED=" + std::to_string(seed) + ")");
    }
  }
  return verified;
}

/// Expects the variants of an operation on a backend that can run here to be right, each on a third of the
/// draws at least.
inline void expect_right_on_draws(const Operation& operation, std::string_view backend, Executor& executor,
                                  int draws, Index max_n = most_tested_n) {
  std::vector<const Variant*> variants = variants_of(operation);
  std::erase_if(variants,
                [&](const Variant* v) { return v->backend != backend || !v->unavailable().empty(); });
  if (variants.empty()) return;
  VerifiedDraws verified = verify_draws(variants, executor, draws, draw_seed(), max_n);
  for (const std::string& wrong : verified.wrong) ADD_FAILURE() << wrong;
  for (const Variant* variant : variants)
    EXPECT_GE(3 * verified.count[variant->name], draws) << variant->name;
}

}  // namespace tallcache::test
