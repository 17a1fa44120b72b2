// Leaves under valgrind's lackey, which prints the address and the size of every access: the plain text loads
// and stores the very bytes that it names under Traced, and the traced text does so in turn, as it names
// them. Memory that a leaf fills itself, such as counters, is watched like its operands: a wrong load from it
// may find the right value.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/leaf.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// A byte of a leaf's memory under one kind of access.
struct Byte {
  enum Turn { none, named, done };
  bool may = false, did = false;  ///< by the plain text
  Turn turn = none;
};

/// Memory of a leaf, and the bytes that its traced text stores to where it names a byte here.
struct Watched {
  std::uintptr_t at, load_names, store_names;
  std::size_t element;  ///< bytes
  std::vector<Byte> loads, stores;
};

/// Reads what run_observed() and lackey print, line by line. The plain text is to load and to store the bytes
/// that are named, each at least once; the traced one is to do so at each naming and at no other time.
class Observer {
 public:
  struct Leaf {
    Findings found, expected;
    /// Of the leaf's buffers, and of all that it stores to on its stack: frames and spilt registers as well.
    std::size_t private_bytes = 0, stack_bytes = 0;
  };
  std::vector<Leaf> leaves;
  std::int64_t accesses = 0;

  void read(const char* line) {
    std::uintptr_t at = 0, load_names = 0, store_names = 0;
    std::size_t element = 0, bytes = 0;
    char kind = 0;
    if (std::sscanf(line, " %c %" SCNxPTR ",%zu", &kind, &at, &bytes) == 3 && line[0] == ' ')
      return access(kind, at, bytes);
    char word[9];
    const int read = std::sscanf(line, "%8[A-Z] %" SCNxPTR " %zu %zu %" SCNxPTR " %" SCNxPTR, word, &at,
                                 &element, &bytes, &load_names, &store_names);
    const std::string name(word);
    if (read == 2 && name == "FENCE") fence_ = at;
    if (read == 3 && name == "STACK") stack_ = at, leaf_.private_bytes = element;
    if (read == 6 && name == "REGION")
      watched_.push_back(
          {at, load_names, store_names, element, std::vector<Byte>(bytes), std::vector<Byte>(bytes)});
    if (Findings& e = leaf_.expected; name == "EXPECTED")
      std::sscanf(line, "%*s %d %d %d %d %d", &e.not_named, &e.not_loaded, &e.not_stored, &e.out_of_turn,
                  &e.elsewhere);
  }

 private:
  enum Phase { outside, plain, between, traced };

  // L is a load, S a store and M both.
  void access(char kind, std::uintptr_t at, std::size_t bytes) {
    if (at == fence_) return pass_fence();
    if (phase_ != plain && phase_ != traced) return;
    bool watched = false;
    for (Watched& memory : watched_)
      for (std::size_t i = 0; i < bytes; ++i) {
        // Others are of the stack, or constants.
        if (const auto byte = at + i - memory.at; byte < memory.loads.size()) {
          ++accesses;
          watched = true;
          if (kind != 'S') touch(memory.loads, byte, memory.element);
          if (kind != 'L') touch(memory.stores, byte, memory.element);
        } else if (const auto load = at + i - memory.load_names; load < memory.loads.size()) {
          name(memory.loads[load]);
        } else if (const auto store = at + i - memory.store_names; store < memory.loads.size()) {
          name(memory.stores[store]);
        }
      }
    if (phase_ == plain && kind != 'L' && !watched) store_beside(at, bytes);
  }

  void store_beside(std::uintptr_t at, std::size_t bytes) {
    constexpr std::uintptr_t most_stack = 1 << 20;
    for (std::size_t i = 0; i < bytes; ++i)
      if (stack_ - (at + i) <= most_stack)
        private_.insert(at + i);
      else
        ++leaf_.found.elsewhere;
  }

  // A byte's turn begins where it is named, and ends at the first naming after it was accessed.
  void name(Byte& byte) {
    if (accessed_) {
      for (Byte* const other : done_) other->turn = Byte::none;
      done_.clear();
    }
    accessed_ = false;
    byte.may = true;
    leaf_.found.out_of_turn += byte.turn == Byte::named;
    byte.turn = Byte::named;
  }

  // A compiler may load less of an element than the text does.
  void touch(std::vector<Byte>& bytes, std::size_t at, std::size_t element) {
    bytes[at].did |= phase_ == plain;
    if (phase_ == plain) return;
    accessed_ = true;
    leaf_.found.out_of_turn += bytes[at].turn == Byte::none;
    if (bytes[at].turn != Byte::named) return;
    for (std::size_t i = at / element * element; i < at / element * element + element; ++i)
      if (bytes[i].turn == Byte::named) {
        bytes[i].turn = Byte::done;
        done_.push_back(&bytes[i]);
      }
  }

  void pass_fence() {
    phase_ = static_cast<Phase>((phase_ + 1) % 4);
    if (phase_ != outside) return;
    for (const Watched& memory : watched_)
      for (std::size_t i = 0; i < memory.loads.size(); ++i) {
        const Byte &load = memory.loads[i], &store = memory.stores[i];
        leaf_.found.not_named += (load.did && !load.may) + (store.did && !store.may);
        leaf_.found.not_loaded += load.may && !load.did;
        leaf_.found.not_stored += store.may && !store.did;
        leaf_.found.out_of_turn += (load.turn == Byte::named) + (store.turn == Byte::named);
      }
    leaf_.stack_bytes = private_.size();
    leaves.push_back(leaf_);
    leaf_ = {};
    private_.clear();
    watched_.clear();
    done_.clear();
  }

  std::uintptr_t fence_ = 0, stack_ = 0;
  Phase phase_ = outside;
  std::vector<Watched> watched_;
  std::vector<Byte*> done_;  // whose turn has not ended
  std::set<std::uintptr_t> private_;
  bool accessed_ = false;
  Leaf leaf_{};
};

/// Frames of calls and spilt registers take no more; a codelet's 2 KiB.
constexpr std::size_t most_frames = 2560;

/// Of the disabled tests that are its subject.
Observer observed() {
  const std::string command =
      "valgrind -q --tool=lackey --basic-counts=no --trace-mem=yes --log-fd=1 /proc/" +
      std::to_string(getpid()) + "/exe --gtest_also_run_disabled_tests --gtest_filter=LackeySubject.*";
  Observer observer;
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return observer;
  for (char line[512]; std::fgets(line, sizeof(line), pipe);)
    if (line[0] != 'I') observer.read(line);  // of an instruction
  EXPECT_EQ(pclose(pipe), 0);
  return observer;
}

TEST(Leaf, LackeySeesTheBytesThatItNames) {
  if (sanitized) GTEST_SKIP() << "valgrind runs no program with a sanitizer";
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind is not installed";
  const Observer observer = observed();
  EXPECT_EQ(observer.leaves.size(), 144u);
  EXPECT_GT(observer.accesses, 100'000);
  int with_buffers = 0;
  for (std::size_t i = 0; i < observer.leaves.size(); ++i) {
    const Findings &found = observer.leaves[i].found, &expected = observer.leaves[i].expected;
    EXPECT_EQ(found, expected) << "leaf " << i << ": " << found.not_named << " bytes not named, "
                               << found.not_loaded << " not loaded, " << found.not_stored << " not stored, "
                               << found.out_of_turn << " out of turn, " << found.elsewhere
                               << " stored elsewhere";
    const std::size_t buffers = observer.leaves[i].private_bytes, stack = observer.leaves[i].stack_bytes;
    EXPECT_LE(stack, buffers + most_frames) << "leaf " << i << " stores to bytes of its stack";
    with_buffers += buffers > 0 && stack > most_frames;
  }
  // So that a store to a private buffer is seen.
  EXPECT_GT(with_buffers, 5);
}

}  // namespace
}  // namespace tallcache::test
