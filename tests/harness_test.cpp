// The harness, driven by an executor whose clock is a script: what runs, in which order and how often, what
// is reported, and that a wrong variant has no time.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "common/measure/host_memory.hpp"
#include "common/ops/copy.hpp"
#include "common/variant_text.hpp"
#include "cpu/copy/rows.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using Op = Copy<float>;

// Runs on the host; a run of `entry` is said to take price[entry]. Its memory can be apart from the host's.
class ScriptedExecutor : public Executor {
 public:
  explicit ScriptedExecutor(bool shares = true) : shares_(shares) {}

  std::map<Entry, double> price;
  std::map<Entry, char> letter;
  std::string log;             // a letter a call of seconds(), '|' where the caches were flushed
  std::vector<int> times_log;  // how often it ran in each of these calls

  bool shares_host_memory() const override { return shares_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes, Pages pages) override {
    return host_->allocate(bytes, pages);
  }
  void upload(Memory& to, std::span<const std::byte> from) override { host_->upload(to, from); }
  void download(std::span<std::byte> to, const Memory& from) override { host_->download(to, from); }
  void fill(Memory& memory, unsigned char byte) override { host_->fill(memory, byte); }
  double seconds(Entry entry, const void* args, const Params& params, const Launch& launch,
                 int times) override {
    entry(args, params, launch);
    log += letter[entry];
    times_log.push_back(times);
    return price[entry] * times;
  }
  void flush_caches() override { log += '|'; }

 private:
  bool shares_;
  std::unique_ptr<Executor> host_ = make_executor("cpu");
};

void copy(const auto& args) {
  Serial fork;
  cpu::copy::copy_rows(fork, args.b, args.a);
}

// One class a behaviour; `id` makes further variants of the same one.
struct Base {
  static constexpr std::string_view idea = "for this test", source = "this test";
  using operations = OperationList<Op>;
};
template <int id>
struct honest : Base {
  static void run(auto&, const auto& args, const Params&) { copy(args); }
};
struct no_op : Base {
  static void run(auto&, const auto&, const Params&) {}
};
struct right_once : Base {
  static inline int runs = 0;
  static void run(auto&, const auto& args, const Params&) {
    if (runs++ == 0) copy(args);
  }
};
struct fails_later : Base {
  static inline int runs = 0;
  static void run(auto&, const auto& args, const Params&) {
    if (runs++ > 1) throw Error("out of something");
    copy(args);
  }
};
struct corrupts_input : Base {
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    const_cast<float*>(args.a.data)[0] += 1;
  }
};
struct writes_behind : Base {
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    args.b.data[args.b.rows * args.b.ld] = 0;
  }
};
struct exceeds_scratch : Base {
  static std::size_t scratch(Op, const Shape&, const Params&) { return 64; }
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    auto scratch = args.scratch;
    scratch.template vector<float>(16)[16] = 0;
  }
};
struct needs_zeroed_scratch : Base {
  static std::size_t scratch(Op, const Shape&, const Params&) { return 64; }
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    auto scratch = args.scratch;
    args.b(0, 0) += scratch.template vector<float>(1)[0];
  }
};
struct not_here : Base {
  static std::string unavailable() { return "no such library"; }
  static void run(auto&, const auto&, const Params&) { ADD_FAILURE() << "ran"; }
};
struct not_this_shape : Base {
  static bool supports(const Shape& shape) { return shape["m"] > 1000; }
  static void run(auto&, const auto&, const Params&) { ADD_FAILURE() << "ran"; }
};
template <int timed>
struct phased : Base {
  static constexpr PhaseSpec phases[] = {{"preparation", false}, {"first"}, {"second", timed > 1}};
  template <std::size_t phase>
  static void run(auto&, const auto& args, const Params&) {
    if (phase == 2) copy(args);
  }
};

template <class V>
const Variant& variant_of(std::string_view name = "variant") {
  static const auto records = variant_records<V>(name, "cpu", false);
  return records[0];
}

class Harness : public testing::Test {
 protected:
  template <class V>
  Candidate candidate(char letter, double price) {
    const Variant& variant = variant_of<V>();
    for (Entry entry : variant.entries) {
      executor.price[entry] = price;
      executor.letter[entry] = letter;
    }
    return {&variant};
  }
  std::vector<Measurement> measured(std::initializer_list<Candidate> candidates, const Protocol& protocol) {
    return measure(workspace, std::span(candidates.begin(), candidates.size()), protocol,
                   [this](auto) { ++progress; });
  }

  ScriptedExecutor executor;
  Workspace workspace{{&operation_of<Op>, {{"m", 4}, {"n", 5}, {"pad", 1}}, {}}, executor};
  int progress = 0;
};

TEST_F(Harness, InterleavesAFixedNumberOfRounds) {
  const auto results = measured({candidate<honest<0>>('a', 0.002), candidate<honest<1>>('b', 0.004)},
                                {.least_rounds = 3, .most_rounds = 3, .seconds = 1});
  // Verification, a first round that finds out how long a run is, two more, verification.
  EXPECT_EQ(executor.log,
            "ab"
            "aabb"
            "ab"
            "ab"
            "ab");
  EXPECT_EQ(progress, 3);
  ASSERT_EQ(results.size(), 2u);
  for (const Measurement& result : results) {
    EXPECT_TRUE(result.outcome.measured());
    EXPECT_EQ(result.outcome.reason, "");
    EXPECT_EQ(result.samples_s.size(), 3u);
    EXPECT_EQ(result.mad_s(), 0);
    EXPECT_TRUE(result.phases.empty());
  }
  EXPECT_DOUBLE_EQ(results[0].median_s(), 0.002);
  EXPECT_DOUBLE_EQ(results[1].median_s(), 0.004);
}

TEST_F(Harness, RepeatsARunTooShortForTheClock) {
  const auto results = measured({candidate<honest<0>>('a', 1e-5)}, {.least_rounds = 2, .most_rounds = 2});
  EXPECT_EQ(executor.times_log, (std::vector<int>{1, 1, 100, 100, 1}));
  EXPECT_NEAR(results[0].median_s(), 1e-5, 1e-12);
}

TEST_F(Harness, StopsWhenItsTimeIsUsed) {
  const auto results =
      measured({candidate<honest<0>>('a', 0.3)}, {.least_rounds = 2, .most_rounds = 25, .seconds = 1});
  EXPECT_EQ(results[0].samples_s.size(), 3u);  // a fourth would end after 1.2 s
}

TEST_F(Harness, CountsTheVerifiedRunsOfASlowVariant) {
  auto results =
      measured({candidate<honest<0>>('a', 10)}, {.least_rounds = 5, .most_rounds = 25, .seconds = 1});
  EXPECT_EQ(results[0].samples_s.size(), 5u);
  EXPECT_EQ(executor.log, "aaaaa");
  EXPECT_EQ(results[0].median_s(), 10);
  executor.log.clear();
  results = measured({candidate<honest<0>>('a', 10)}, {.least_rounds = 1, .most_rounds = 25, .seconds = 1});
  EXPECT_EQ(results[0].samples_s.size(), 2u);
  EXPECT_EQ(executor.log, "aa");
}

TEST_F(Harness, FlushesBeforeEveryColdRun) {
  const auto results = measured({candidate<honest<0>>('a', 1e-5), candidate<honest<1>>('b', 1e-5)},
                                {.least_rounds = 2, .most_rounds = 2, .cold = true});
  EXPECT_EQ(executor.log,
            "ab"
            "|a|b"
            "|a|b"
            "ab");
  EXPECT_EQ(results[0].samples_s.size(), 2u);
}

TEST_F(Harness, GivesAWrongVariantNoTime) {
  const auto results = measured({candidate<no_op>('x', 0.01), candidate<honest<0>>('a', 0.01)},
                                {.least_rounds = 2, .most_rounds = 2});
  EXPECT_FALSE(results[0].outcome.measured());
  EXPECT_NE(results[0].outcome.reason.find("wrong result: (0, 0): expected"), std::string::npos)
      << results[0].outcome.reason;
  EXPECT_EQ(results[0].samples_s.size(), 0u);
  EXPECT_EQ(std::ranges::count(executor.log, 'x'), 1);
  EXPECT_TRUE(results[1].outcome.measured());
  EXPECT_EQ(results[1].samples_s.size(), 2u);
}

TEST_F(Harness, CatchesAVariantThatTurnsWrong) {
  right_once::runs = 0;
  const auto results = measured({candidate<right_once>('x', 0.01), candidate<honest<0>>('a', 0.01)},
                                {.least_rounds = 3, .most_rounds = 3});
  EXPECT_FALSE(results[0].outcome.measured());
  EXPECT_NE(results[0].outcome.reason.find("after timing"), std::string::npos) << results[0].outcome.reason;
  EXPECT_EQ(results[0].samples_s.size(), 0u);
  EXPECT_TRUE(std::isnan(results[0].median_s()));
  EXPECT_EQ(results[0].outcome.status, Status::wrong);
  EXPECT_TRUE(results[1].outcome.measured());
}

TEST_F(Harness, LosesNothingWhenAVariantFailsInARound) {
  fails_later::runs = 0;
  const auto results = measured({candidate<fails_later>('x', 0.01), candidate<honest<0>>('a', 0.01)},
                                {.least_rounds = 3, .most_rounds = 3});
  EXPECT_FALSE(results[0].outcome.measured());
  EXPECT_EQ(results[0].outcome.status, Status::failed);
  EXPECT_EQ(results[0].outcome.reason, "out of something");
  EXPECT_EQ(results[0].samples_s.size(), 0u);
  EXPECT_EQ(results[1].samples_s.size(), 3u);
}

TEST_F(Harness, SaysWhyAVariantDoesNotRun) {
  const auto results = measured({candidate<not_here>('x', 1), candidate<not_this_shape>('y', 1)}, {});
  EXPECT_EQ(results[0].outcome.status, Status::unavailable);
  EXPECT_EQ(results[0].outcome.reason, "no such library");
  EXPECT_EQ(results[1].outcome.status, Status::unsupported);
  EXPECT_EQ(results[1].outcome.reason, "does not support this shape");
  for (const Measurement& result : results) EXPECT_FALSE(result.outcome.measured());
  EXPECT_EQ(executor.log, "");
}

TEST_F(Harness, RejectsParametersThatAVariantDoesNotHave) {
  Candidate wrong = candidate<honest<0>>('a', 0.01);
  wrong.params.set("tile", 3);
  const auto results = measured({wrong}, {});
  EXPECT_NE(results[0].outcome.reason.find("no parameters"), std::string::npos) << results[0].outcome.reason;
}

TEST_F(Harness, TimesPhasesApart) {
  const Candidate both = candidate<phased<2>>('p', 0), one = candidate<phased<1>>('q', 0);
  for (const Candidate& c : {both, one}) {
    executor.price[c.variant->entries[0]] = 100;
    executor.price[c.variant->entries[1]] = 0.25;
    executor.price[c.variant->entries[2]] = 0.5;
  }
  const auto results = measured({both, one}, {.least_rounds = 2, .most_rounds = 2, .seconds = 2});
  EXPECT_DOUBLE_EQ(results[0].median_s(), 0.75);
  using Phases = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(results[0].phases, (Phases{{"first", 0.25}, {"second", 0.5}}));
  EXPECT_DOUBLE_EQ(results[1].median_s(), 0.25);
  EXPECT_TRUE(results[1].phases.empty());
  const auto seconds = workspace.run(both);
  EXPECT_TRUE(std::isnan(seconds[0]));
}

// In memory of the host's own, and in memory apart from it, as a device's is.
class Verification : public testing::TestWithParam<bool> {
 protected:
  template <class V>
  Check verify() {
    return workspace.verify({&variant_of<V>()});
  }
  template <class V>
  void rejected(std::string_view where) {
    const Check check = verify<V>();
    EXPECT_FALSE(check);
    EXPECT_NE(check.where.find(where), std::string::npos) << check.message();
  }
  ScriptedExecutor executor{GetParam()};
  Workspace workspace{{&operation_of<Op>, {{"m", 32}, {"n", 32}}, {}}, executor};
};

TEST_P(Verification, PoisonsTheOutputOfTheRunBefore) {
  EXPECT_TRUE(verify<honest<0>>());
  rejected<no_op>("(0, 0)");
}

TEST_P(Verification, RestoresAnInputThatWasChanged) {
  rejected<corrupts_input>("input A");
  const Check check = verify<honest<0>>();
  EXPECT_TRUE(check) << check.message();
}

TEST_P(Verification, SeesWritesOutOfBounds) { rejected<writes_behind>("around B"); }
TEST_P(Verification, SeesWritesBehindTheScratch) { rejected<exceeds_scratch>("around the scratch"); }
TEST_P(Verification, PoisonsTheScratch) {
  // 0xa5a5a5a5 is -2.9e-16 as a float: too small to change any element but a zero.
  std::uint64_t seed = 0;
  while (matrix_element<float>("integers", seed, 0) != 0) ++seed;
  Workspace zero({&operation_of<Copy<float>>, {{"m", 1}, {"n", 1}}, "integers", seed}, executor);
  EXPECT_TRUE(zero.verify({&variant_of<honest<0>>()}));
  EXPECT_FALSE(zero.verify({&variant_of<needs_zeroed_scratch>()}));
}

TEST_P(Verification, GivesTheOutput) {
  ASSERT_TRUE(verify<honest<0>>());
  const auto outputs = workspace.outputs();
  ASSERT_EQ(outputs.size(), 1u);
  ASSERT_EQ(outputs[0].size(), 32 * 32 * sizeof(float));
  EXPECT_EQ(reinterpret_cast<const float*>(outputs[0].data())[33], matrix_element<float>("uniform", 1, 33));
}

INSTANTIATE_TEST_SUITE_P(Memory, Verification, testing::Bool(),
                         [](const auto& info) { return info.param ? "OfTheHost" : "Apart"; });

TEST(HostExecutor, GuardsItsMemory) {
  const auto executor = make_executor("cpu");
  for (std::size_t size : {0, 1, 4095, 4096, 5000}) {
    for (std::ptrdiff_t at : {std::ptrdiff_t{-4096}, std::ptrdiff_t{-1}, static_cast<std::ptrdiff_t>(size)}) {
      const auto memory = executor->allocate(size);
      ASSERT_EQ(memory->bytes().size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->bytes().data()) % 4096, 0u);
      executor->fill(*memory, 0x77);
      EXPECT_TRUE(memory->guards_intact());
      memory->bytes().data()[at] = std::byte{0};
      EXPECT_FALSE(memory->guards_intact()) << size << " bytes, written at " << at;
    }
  }
}

TEST(HostExecutor, SaysHowMuchMemoryIsMissing) {
  EXPECT_GT(available_memory(), 0u);
  EXPECT_NO_THROW(require_memory(0, "nothing"));
  expect_error([] { require_memory(std::size_t{1} << 60, "a matrix"); }, "a matrix needs 1.15 EB");
  const auto executor = make_executor("cpu");
  expect_error([&] { executor->allocate(std::size_t{1} << 60); }, "needs");
  expect_error([&] { executor->allocate(~std::size_t{0}); }, "");
  expect_error([&] { Workspace({&operation_of<Op>, {{"m", 1 << 30}}, {}}, *executor); }, "copy m=1073741824");
}

TEST(WorkspaceInput, UnknownIsAnError) {
  const auto executor = make_executor("cpu");
  expect_error(
      [&] {
        Workspace({&operation_of<Op>, {{"m", 1}}, "unifrom"}, *executor);
      },
      "did you mean 'uniform'?");
}

// Huge pages begin where such a page can; the guards are as close as those of ordinary ones.
TEST(HostMemory, HugePagesAreAlignedAndGuarded) {
  const auto executor = make_executor("cpu");
  for (std::size_t size :
       {std::size_t{0}, std::size_t{1000}, std::size_t{2} << 20, (std::size_t{5} << 20) + 3}) {
    const auto memory = executor->allocate(size, Pages::huge);
    std::byte* const data = memory->bytes().data();
    ASSERT_EQ(memory->bytes().size(), size);
    if (size >= std::size_t{2} << 20) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % (std::size_t{2} << 20), 0u) << size;
    }
    executor->fill(*memory, 1);
    EXPECT_TRUE(memory->guards_intact());
    for (std::byte* outside : {data - 1, data + size}) {
      const std::byte before = *outside;
      *outside = std::byte{0};
      EXPECT_FALSE(memory->guards_intact()) << size;
      *outside = before;
    }
    EXPECT_TRUE(memory->guards_intact());
  }
}

}  // namespace
}  // namespace tallcache::test
