// Leaves under valgrind's lackey, which prints the address and the size of every access: the plain text loads
// and stores the very bytes that it names under Traced.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// What a byte of a leaf's memory is named for, and what happened to it.
struct Byte {
  bool may_load = false, may_store = false, loaded = false, stored = false;
};

/// Reads what run_observed() and lackey print, line by line.
class Observer {
 public:
  /// Bytes of a leaf.
  struct Findings {
    int loads_not_named = 0, stores_not_named = 0, not_loaded = 0, not_stored = 0;
    friend bool operator==(const Findings&, const Findings&) = default;
  };
  std::vector<Findings> leaves;
  std::int64_t accesses = 0;

  void read(const char* line) {
    std::uintptr_t at = 0;
    std::size_t bytes = 0;
    char kind = 0;
    if (std::sscanf(line, " %c %" SCNxPTR ",%zu", &kind, &at, &bytes) == 3 && line[0] == ' ')
      return access(kind, at, bytes);
    char word[8];
    const int read = std::sscanf(line, "%7[A-Z] %" SCNxPTR " %zu", word, &at, &bytes);
    if (read < 2) return;
    const std::string name(word);
    if (name == "FENCE") fence_ = at;
    for (std::size_t i = 0; read == 3 && i < bytes; ++i) {
      Byte& byte = bytes_[at + i];
      byte.may_load |= name == "LOADED";
      byte.may_store |= name == "STORED";
    }
  }

 private:
  // L is a load, S a store and M both.
  void access(char kind, std::uintptr_t at, std::size_t bytes) {
    if (at == fence_) return pass_fence();
    if (!inside_) return;
    for (std::size_t i = 0; i < bytes; ++i) {
      const auto found = bytes_.find(at + i);
      if (found == bytes_.end()) continue;  // of the stack, or a constant
      ++accesses;
      found->second.loaded |= kind != 'S';
      found->second.stored |= kind != 'L';
    }
  }

  void pass_fence() {
    inside_ = !inside_;
    if (inside_) return;
    Findings& leaf = leaves.emplace_back();
    for (const auto& [at, byte] : bytes_) {
      leaf.loads_not_named += byte.loaded && !byte.may_load;
      leaf.stores_not_named += byte.stored && !byte.may_store;
      leaf.not_loaded += byte.may_load && !byte.loaded;
      leaf.not_stored += byte.may_store && !byte.stored;
    }
    bytes_.clear();
  }

  std::uintptr_t fence_ = 0;
  bool inside_ = false;
  std::map<std::uintptr_t, Byte> bytes_;
};

/// Of the program in leaf_test.cpp.
Observer observed() {
  const std::string command =
      "valgrind -q --tool=lackey --basic-counts=no --trace-mem=yes --log-fd=1 /proc/" +
      std::to_string(getpid()) +
      "/exe --gtest_also_run_disabled_tests --gtest_filter=LackeySubject.DISABLED_leaves";
  Observer observer;
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return observer;
  for (char line[512]; std::fgets(line, sizeof(line), pipe);)
    if (line[0] != 'I') observer.read(line);  // of an instruction
  EXPECT_EQ(pclose(pipe), 0);
  return observer;
}

// The last leaf is a sabotage: it names a byte that it does not load, and loads one that it does not name.
TEST(Leaf, LackeySeesTheBytesThatItNames) {
  if (sanitized) GTEST_SKIP() << "valgrind runs no program with a sanitizer";
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind is not installed";
  const Observer observer = observed();
  ASSERT_EQ(observer.leaves.size(), 43u);
  EXPECT_GT(observer.accesses, 100'000);
  for (std::size_t i = 0; i + 1 < observer.leaves.size(); ++i)
    EXPECT_EQ(observer.leaves[i], Observer::Findings{}) << i;
  EXPECT_EQ(observer.leaves.back(), (Observer::Findings{.loads_not_named = 1, .not_loaded = 1}));
}

}  // namespace
}  // namespace tallcache::test
