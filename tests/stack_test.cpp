// No recursion is deep: every variant, its trace and its profile run on shapes as long and thin as they get,
// on every kind of input, where each thread has a stack of 256 KiB: the caller, and oneTBB's workers. A
// worker takes tasks from other threads while it waits, on the same stack, as long as half of it is free.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"
#include "common/execute.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/fork/parallel.hpp"
#include "common/ops/sort.hpp"
#include "cpu/fib/fib.hpp"
#include "cpu/sort/quicksort_blocks.hpp"
#include "tests/adversary.hpp"
#include "tests/heartbeat_trees.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using cpu::fib::fibonacci;
using cpu::sort::Key;

// Under a sanitizer a frame is several times as large.
constexpr std::size_t stack_bytes = (sanitized ? 8 : 1) * (std::size_t{256} << 10);

/// The bytes of this thread's stack.
std::size_t own_stack() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  void* begin = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

/// Runs `body` on a thread of such a stack, and throws what it throws.
template <class Body>
void on_small_stack(Body&& body) {
  struct Run {
    Body& body;
    std::exception_ptr failure;
  } run{body, {}};
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  pthread_t thread;
  const auto start = [](void* data) -> void* {
    auto& self = *static_cast<Run*>(data);
    try {
      self.body();
    } catch (...) {
      self.failure = std::current_exception();
    }
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &run), 0);
  pthread_attr_destroy(&attributes);
  pthread_join(thread, nullptr);
  if (run.failure) std::rethrow_exception(run.failure);
}

class SmallStack : public testing::TestWithParam<const Variant*> {
 protected:
  void TearDown() override { set_fork_policy(default_fork_policy); }

 private:
  // Of workers that begin while this lives. The largest that a process asks for holds.
  const tbb::global_control workers{tbb::global_control::thread_stack_size, stack_bytes};
};

double work_of(const Operation& operation, const Shape& shape) {
  const Cost cost = operation.cost(shape);
  return cost.flops + cost.bytes + cost.keys;
}

/// For each size of the operation the shape that is long in it and 1 in the others, and one that is as long
/// in all.
std::vector<Shape> extreme_shapes(const Operation& operation) {
  constexpr Index longest = Index{1} << 13;
  constexpr double most_work = 1.5e5;
  std::vector<Shape> shapes;
  const auto add = [&](auto&& is_long) {
    for (Index size = longest; size > 1; size /= 2) {
      Shape shape;
      for (const DimSpec& dim : operation.dims)
        if (dim.name != "pad") shape.set(dim.name, is_long(dim) ? size : 1);
      try {
        shape = complete_shape(operation, shape);
      } catch (const Error&) {
        continue;  // of sizes that the operation does not have
      }
      if (work_of(operation, shape) <= most_work) return shapes.push_back(shape);
    }
  };
  for (const DimSpec& one : operation.dims)
    if (one.name != "pad") add([&](const DimSpec& dim) { return dim.name == one.name; });
  if (operation.dims.size() > 1) add([](const DimSpec&) { return true; });
  return shapes;
}

Shape largest_test_shape(const Operation& operation) {
  const std::vector<Shape> shapes = operation.test_shapes();
  return complete_shape(operation, *std::ranges::max_element(shapes, {}, [&](const Shape& shape) {
                          return work_of(operation, complete_shape(operation, shape));
                        }));
}

/// The defaults, and the least of every parameter, which makes the most forks.
std::vector<Params> settings_of(const Variant& variant) {
  Params least;
  for (const ParamSpec& spec : variant.params)
    least.set(spec.name, spec.choices.empty() ? spec.min : spec.choices.front());
  if (variant.params.empty()) return {least};
  return {{}, least};
}

void runs_everywhere(const Variant& variant, Workspace& workspace, const Params& params) {
  const auto verify = [&](const Candidate& candidate) {
    const Check check = workspace.verify(candidate);
    EXPECT_TRUE(check) << describe(candidate, workspace.problem()) << ": " << check.message();
  };
  verify({&variant, params});
  if (variant.parallel && usable_threads() > 1)
    for (ForkPolicy policy : fork_policies) {
      const Impatience promoting;
      verify({&variant, params, 2, LaunchMode::plain, policy});
    }
  if (variant.peer) return;
  const Problem& problem = workspace.problem();
  for (int threads : {1, std::min(2, usable_threads())})
    workspace.profile({&variant, params}, CostUnit::accesses, {.threads = threads});
  cache::Tracer tracer(64, {});
  cache::run_traced(variant, tracer, problem.shape, complete_params(variant, params), problem.input);
}

TEST_P(SmallStack, IsEnoughForExtremeShapes) {
  const Variant& variant = *GetParam();
  if (const std::string reason = variant.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  int ran = 0;
  on_small_stack([&] {
    const Operation& operation = *variant.operation;
    const auto executor = make_executor(variant.backend);
    const auto run = [&](const Shape& shape, std::string_view input, const std::vector<Params>& settings) {
      if (!variant.supports(shape)) return;
      Workspace workspace({&operation, shape, input}, *executor);
      for (const Params& params : settings) runs_everywhere(variant, workspace, params);
      ++ran;
    };
    for (const Shape& shape : extreme_shapes(operation))
      for (std::string_view input : operation.inputs) run(shape, input, settings_of(variant));
    run(largest_test_shape(operation), operation.inputs.front(), {{}});
  });
  EXPECT_GE(ran, 1);
}

std::vector<const Variant*> on_the_cpu() {
  std::vector<const Variant*> list;
  std::ranges::copy_if(variants(), std::back_inserter(list),
                       [](const Variant* variant) { return variant->backend == "cpu" && !variant->peer; });
  return list;
}
INSTANTIATE_TEST_SUITE_P(All, SmallStack, testing::ValuesIn(on_the_cpu()),
                         [](const auto& info) { return identifier(*info.param); });

// What the other tests rely on.
using SmallStacks = SmallStack;
TEST_F(SmallStacks, AreTheCallersAndTheWorkers) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  on_small_stack([] {
    EXPECT_LE(own_stack(), stack_bytes);
    std::size_t of_worker = 0;
    std::atomic<int> begun{0};
    const auto meet = [&] {
      for (++begun; begun < 2;) std::this_thread::yield();
    };
    in_arena(2, [&] {
      const auto caller = std::this_thread::get_id();
      const auto branch = [&] {
        meet();
        if (std::this_thread::get_id() != caller) of_worker = own_stack();
      };
      OneTbb{2}(branch, branch);
    });
    EXPECT_GT(of_worker, 0u);
    EXPECT_LE(of_worker, stack_bytes + (std::size_t{64} << 10));
  });
}

/// A fork whose second branch is short at every level: a thread that waits for one finds those of all levels
/// above.
template <class Fork>
Fib::Number chain(Fork& fork, Index depth) {
  if (depth == 0) return fibonacci(fork, 8, 0);
  Fib::Number deep = 0, flat = 0;
  fork([&] { deep = chain(fork, depth - 1); }, [&] { flat = fibonacci(fork, 5, 0); });
  return deep + flat;
}

// More callers than the arena has threads: all wait on one another's tasks.
TEST_F(SmallStacks, AreEnoughWhereWaitingThreadsRunTasksOfOthers) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const Impatience promoting;
  for (ForkPolicy policy : fork_policies) {
    set_fork_policy(policy);
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([] {
        on_small_stack([] {
          for (int round = 0; round < 3; ++round)
            run_parallel(2, [](auto& fork) {
              EXPECT_EQ(fibonacci(fork, 15, 0), 610u);
              EXPECT_EQ(chain(fork, 50), 21u + 50 * 5u);
            });
        });
      });
  }
}

/// Sorts the adversary's keys on a small stack, on one thread and on two.
void expect_sorted(const std::vector<Key>& keys, std::string_view variant, const Params& params) {
  const double n = static_cast<double>(keys.size());
  EXPECT_GT(Adversary::compared(), n * n / 100) << "the adversary's keys are harmless";
  auto sorted = keys;
  std::ranges::sort(sorted);
  on_small_stack([&] {
    for (ForkPolicy policy : fork_policies)
      for (int threads : {1, std::min(2, usable_threads())}) {
        set_fork_policy(policy);
        auto copy = keys;
        execute<Sort>(variant, {.keys = {copy.data(), static_cast<Index>(copy.size())}}, params, threads);
        EXPECT_EQ(copy, sorted) << variant << " on " << threads << ", " << name_of(policy);
      }
  });
}

TEST_F(SmallStacks, QuicksortOnTheAdversarysKeys) {
  const auto keys = Adversary::keys(20000, [](auto items) {
    Serial fork;
    cpu::sort::sample_qsort(fork, items);
  });
  expect_sorted(keys, "quicksort", {});
}

TEST_F(SmallStacks, QuicksortByBlocksOnTheAdversarysKeys) {
  constexpr Index n = 6000, block = 32;
  const auto keys = Adversary::keys(n, [](auto items) {
    std::vector<Adversary::Item> other(n);
    std::vector<cpu::sort::Sides> counts(n / block + 1);
    Serial fork;
    cpu::sort::quicksort_by_blocks(
        fork, items, VectorView<Adversary::Item>{other.data(), n},
        VectorView<cpu::sort::Sides>{counts.data(), static_cast<Index>(counts.size())}, false, block);
  });
  expect_sorted(keys, "quicksort_blocks", {{"block", block}});
}

}  // namespace
}  // namespace tallcache::test
