// MSI coherence: the slides' example step by step, kinds of sharing by hand, and a slow model.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "common/cache/msi.hpp"
#include "common/error.hpp"
#include "common/random.hpp"
#include "common/traced.hpp"

namespace tallcache::cache {
namespace {

using enum Msi;

// M2, Cache Coherence (1/6) to (6/6): P1, P2 and P4 read x = 3, P2 writes x = 5, P1 reads again. The values
// move with the transitions, so that P1's last read shows whether the protocol works.
TEST(Msi, TheSlidesExample) {
  constexpr std::uint64_t x = 0x1000;
  constexpr int p1 = 0, p2 = 1, p4 = 3;
  int memory = 3;
  std::map<int, int> cached;
  std::vector<Transition> seen;
  MsiCaches caches({.processors = 4}, [&](const Transition& t) {
    if (t.action == BusAction::flush) memory = cached.at(t.processor);
    if (t.action == BusAction::read || t.action == BusAction::read_exclusive) cached[t.processor] = memory;
    if (t.to == invalid) cached.erase(t.processor);
    seen.push_back(t);
  });
  const auto read = [&](int processor) {
    seen.clear();
    caches.load(processor, x, 8);
    return cached.at(processor);
  };
  const auto states = [&] {
    std::string text;
    for (int processor = 0; processor < 4; ++processor) text += to_string(caches.state(processor, x));
    return text;
  };
  using Seen = std::vector<Transition>;

  EXPECT_EQ(read(p1), 3);
  EXPECT_EQ(seen, (Seen{{p1, x, invalid, shared, BusAction::read, p1}}));
  EXPECT_EQ(read(p2), 3);
  EXPECT_EQ(seen, (Seen{{p2, x, invalid, shared, BusAction::read, p2}}));
  EXPECT_EQ(read(p4), 3);
  EXPECT_EQ(states(), "SSIS");

  seen.clear();
  caches.store(p2, x, 8);
  EXPECT_EQ(seen, (Seen{{p1, x, shared, invalid, BusAction::none, p2},
                        {p4, x, shared, invalid, BusAction::none, p2},
                        {p2, x, shared, modified, BusAction::upgrade, p2}}));
  EXPECT_EQ(states(), "IMII");
  cached[p2] = 5;
  EXPECT_EQ(memory, 3) << "the backing store is out of date until the line is flushed";
  EXPECT_FALSE(cached.contains(p1));

  EXPECT_EQ(read(p1), 5) << "not the stale 3";
  EXPECT_EQ(seen, (Seen{{p2, x, modified, shared, BusAction::flush, p1},
                        {p1, x, invalid, shared, BusAction::read, p1}}));
  EXPECT_EQ(memory, 5);
  EXPECT_EQ(states(), "SSII");

  EXPECT_EQ(caches.counts(p1), (SharingCounts{.loads = 2, .cold = 1, .true_sharing = 1}));
  EXPECT_EQ(caches.counts(p2),
            (SharingCounts{.loads = 1, .stores = 1, .cold = 1, .upgrades = 1, .flushes = 1}));
  EXPECT_EQ(caches.counts(p4), (SharingCounts{.loads = 1, .cold = 1}));
}

TEST(Msi, StoreToAModifiedLineOfAnother) {
  std::vector<Transition> seen;
  MsiCaches caches({}, [&](const Transition& t) { seen.push_back(t); });
  caches.store(0, 0, 8);
  caches.store(1, 0, 8);
  EXPECT_EQ(seen, (std::vector<Transition>{{0, 0, invalid, modified, BusAction::read_exclusive, 0},
                                           {0, 0, modified, invalid, BusAction::flush, 1},
                                           {1, 0, invalid, modified, BusAction::read_exclusive, 1}}));
}

// Two threads count, each with its own counter. In one line all misses are false sharing, in two lines
// nothing is shared, and with one counter for both all misses are true sharing.
TEST(Msi, CountersApartAndTogether) {
  alignas(64) std::uint64_t counters[16] = {};
  const auto count = [&](std::size_t of_first, std::size_t of_second) {
    std::vector<ThreadTrace> threads(2);
    const std::size_t at[] = {of_first, of_second};
    for (std::size_t thread = 0; thread < 2; ++thread)
      for (int i = 0; i < 100; ++i) Traced<ThreadTrace>{&threads[thread]}.at(&counters[at[thread]]) += 1;
    MsiCaches caches({});
    interleave(threads, 2, caches);
    return caches.total();
  };
  const SharingCounts together = count(0, 1), apart = count(0, 8), same = count(3, 3);
  EXPECT_EQ(together.loads, 200u);
  EXPECT_EQ(together.cold, 2u);
  EXPECT_EQ(together.false_sharing, 198u);
  EXPECT_EQ(together.true_sharing, 0u);
  EXPECT_EQ(apart.misses(), 2u);
  EXPECT_EQ(apart.cold, 2u);
  EXPECT_EQ(same.true_sharing, 198u);
  EXPECT_EQ(same.false_sharing, 0u);
}

TEST(Msi, TheMissedWordDecides) {
  MsiCaches caches({.processors = 2});
  caches.load(0, 0, 64);  // all words
  caches.store(1, 8, 8);  // word 1
  caches.load(0, 16, 8);  // word 2: false
  caches.store(1, 8, 8);
  caches.store(1, 24, 4);  // half of word 3, when the line is lost already
  caches.load(0, 24, 8);   // word 3: true
  caches.store(1, 0, 8);
  caches.load(0, 60, 16);  // the last word, and the first of the next line, which is cold
  EXPECT_EQ(caches.counts(0), (SharingCounts{.loads = 4, .cold = 2, .true_sharing = 1, .false_sharing = 2}));
}

TEST(Msi, OwnEvictionsAreReplacements) {
  // Direct-mapped, 4 lines: lines 0 and 4 push each other out.
  MsiCaches caches({.processors = 2, .shape = CacheLevel{256, 1}});
  caches.store(0, 0, 8);
  caches.load(0, 256, 8);  // flushes line 0
  caches.store(1, 0, 8);
  caches.load(0, 0, 8);  // replaced before the other wrote: replacement, and the other flushes
  EXPECT_EQ(caches.counts(0),
            (SharingCounts{.loads = 2, .stores = 1, .cold = 2, .replacement = 1, .flushes = 1}));
  EXPECT_EQ(caches.counts(1), (SharingCounts{.stores = 1, .cold = 1, .flushes = 1}));
}

// The copies of every processor as maps, and for every word the processor that last wrote it and when.
class SlowMsi {
 public:
  SlowMsi(int processors, std::size_t capacity)
      : lines_(processors), order_(processors), capacity_(capacity) {}

  void access(int p, std::uint64_t word, bool store) {
    ++now_;
    SharingCounts& mine = counts[p];
    ++(store ? mine.stores : mine.loads);
    const std::uint64_t line = word / 8;
    Copy& copy = lines_[p][line];
    if (copy.state == 'I') {
      std::uint64_t others = 0;
      for (const auto& [writer, when] : writes_[word]) others += writer != p && when >= copy.lost_at;
      ++(!copy.held        ? mine.cold
         : !copy.by_others ? mine.replacement
         : others          ? mine.true_sharing
                           : mine.false_sharing);
      others_see(p, line, store);
      if (order_[p].size() == capacity_) {
        Copy& victim = lines_[p][order_[p].back()];
        mine.flushes += victim.state == 'M';
        victim = {'I', true, false, now_};
        order_[p].pop_back();
      }
      copy = {store ? 'M' : 'S', true, false, 0};
    } else {
      std::erase(order_[p], line);
      if (store && copy.state == 'S') {
        ++mine.upgrades;
        others_see(p, line, true);
        copy.state = 'M';
      }
    }
    order_[p].insert(order_[p].begin(), line);
    if (store) writes_[word].push_back({p, now_});
  }

  std::map<int, SharingCounts> counts;

 private:
  struct Copy {
    char state = 'I';
    bool held = false, by_others = false;
    std::uint64_t lost_at = 0;
  };
  void others_see(int p, std::uint64_t line, bool store) {
    for (std::size_t q = 0; q < lines_.size(); ++q) {
      Copy& copy = lines_[q][line];
      if (static_cast<int>(q) == p || copy.state == 'I') continue;
      counts[static_cast<int>(q)].flushes += copy.state == 'M';
      if (copy.state == 'M') copy.state = 'S';
      if (!store) continue;
      copy = {'I', true, true, now_};
      std::erase(order_[q], line);
    }
  }

  std::uint64_t now_ = 0;
  std::vector<std::map<std::uint64_t, Copy>> lines_;
  std::vector<std::vector<std::uint64_t>> order_;  // most recent first
  std::size_t capacity_;
  std::map<std::uint64_t, std::vector<std::pair<int, std::uint64_t>>> writes_;
};

TEST(Msi, EqualsTheSlowModelOnRandomTraces) {
  SharingCounts all;
  bool wrong_capacity_seen = false, wrong_word_seen = false;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const int processors = 1 + static_cast<int>(seed % 4);
    const bool finite = seed % 3 == 0;
    // As many ways as lines: one set, so that the slow model needs no sets.
    MsiCaches fast(
        {.processors = processors, .shape = finite ? std::optional(CacheLevel{256, 4}) : std::nullopt},
        [&](const Transition& t) { ASSERT_NE(t.from, t.to); });
    SlowMsi slow(processors, finite ? 4 : 1000), wrong_capacity(processors, 3), wrong_word(processors, 1000);
    for (std::uint64_t i = 0; i < 200; ++i) {
      const int p = static_cast<int>(random_up_to(seed, 3 * i, static_cast<std::uint64_t>(processors - 1)));
      const std::uint64_t word = random_up_to(seed, 3 * i + 1, 8 * (2 + seed % 7));
      const bool store = random_up_to(seed, 3 * i + 2, 2) == 0;
      store ? fast.store(p, 8 * word, 8) : fast.load(p, 8 * word, 8);
      slow.access(p, word, store);
      wrong_capacity.access(p, word, store);
      wrong_word.access(p, word / 8 * 8, store);
    }
    for (int p = 0; p < processors; ++p) {
      ASSERT_EQ(fast.counts(p), slow.counts[p]) << seed;
      wrong_capacity_seen |= !(fast.counts(p) == wrong_capacity.counts[p]);
      wrong_word_seen |= !(fast.counts(p) == wrong_word.counts[p]);
    }
    const SharingCounts total = fast.total();
    all.replacement += total.replacement, all.true_sharing += total.true_sharing;
    all.false_sharing += total.false_sharing, all.flushes += total.flushes;
  }
  EXPECT_TRUE(wrong_capacity_seen && wrong_word_seen) << "the comparison passes wrong models";
  EXPECT_GT(std::min({all.replacement, all.true_sharing, all.false_sharing, all.flushes}), 1000u);
}

// At most one cache has a line modified, and then no other has it at all.
TEST(Msi, OneWriterOrManyReaders) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    MsiCaches caches({.processors = 3});
    for (std::uint64_t i = 0; i < 100; ++i) {
      const int p = static_cast<int>(random_up_to(seed, 2 * i, 2));
      random_up_to(seed, 2 * i + 1, 1) ? caches.store(p, 0, 8) : caches.load(p, 0, 8);
      int holders = 0, writers = 0;
      for (int q = 0; q < 3; ++q) {
        holders += caches.state(q, 0) != invalid;
        writers += caches.state(q, 0) == modified;
      }
      ASSERT_TRUE(writers == 0 || holders == 1);
      ASSERT_NE(caches.state(p, 0), invalid);
    }
  }
}

TEST(Msi, RefusesWhatMakesNoSense) {
  EXPECT_THROW(MsiCaches({.processors = 0}), Error);
  EXPECT_THROW(MsiCaches({.line = 48}), Error);
  EXPECT_THROW(MsiCaches({.line = 64, .word = 128}), Error);
  EXPECT_THROW(MsiCaches({.line = 128, .word = 1}), Error);
  EXPECT_THROW(MsiCaches({.shape = CacheLevel{128, 1}}), Error);
  EXPECT_THROW(MsiCaches({.line = 32, .shape = CacheLevel{4096, 1}}), Error);
  MsiCaches caches({});
  EXPECT_THROW(caches.load(2, 0, 8), Error);
  EXPECT_THROW(caches.load(-1, 0, 8), Error);
  EXPECT_THROW(interleave({}, 0, caches), Error);
}

}  // namespace
}  // namespace tallcache::cache
