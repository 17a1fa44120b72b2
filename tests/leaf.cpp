#include "tests/leaf.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tallcache::test {
namespace {

enum class Flush { begin, end };

/// Bytes that begin (end) where a page does, between pages that cannot be touched.
class Guarded {
 public:
  Guarded(std::size_t bytes, Flush flush) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    const std::size_t inside = (bytes + page_ - 1) / page_ * page_;
    size_ = inside + 2 * page_;
    pages_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(pages_, MAP_FAILED);
    EXPECT_EQ(mprotect(pages_ + page_, inside, PROT_READ | PROT_WRITE), 0);
    begin_ = pages_ + page_ + (flush == Flush::end ? inside - bytes : 0);
  }
  Guarded(const Guarded&) = delete;
  ~Guarded() { munmap(pages_, size_); }

  std::byte* begin() const { return begin_; }

 private:
  std::size_t page_, size_ = 0;
  std::byte *pages_ = nullptr, *begin_ = nullptr;
};

bool are_equal(const Region& region, const std::byte* a, const std::byte* b) {
  const std::size_t bytes = region.content.size();
  if (!region.equal) return std::equal(a, a + bytes, b);
  for (std::size_t i = 0; i < bytes; i += region.element)
    if (!region.equal(a + i, b + i)) return false;
  return true;
}

using Contents = std::vector<std::vector<std::byte>>;

Contents contents_of(const Leaf& leaf) {
  Contents contents;
  for (const Region& region : leaf.regions) contents.push_back(region.content);
  return contents;
}

/// The memory of a leaf.
class Memory {
 public:
  Memory(const Leaf& leaf, Flush flush) : leaf_(leaf) {
    EXPECT_LE(leaf.regions.size(), most_regions);
    for (const Region& region : leaf.regions) {
      guarded_.push_back(std::make_unique<Guarded>(region.content.size(), flush));
      at_[guarded_.size() - 1] = guarded_.back()->begin();
    }
  }

  const At& at() const { return at_; }

  void fill(const Contents& contents) {
    for (std::size_t r = 0; r < contents.size(); ++r) std::ranges::copy(contents[r], at_[r]);
  }

  /// What the regions hold after a run over `before`.
  Contents after(const Contents& before) {
    fill(before);
    leaf_.plain(at_, Plain{});
    Contents contents;
    for (std::size_t r = 0; r < before.size(); ++r)
      contents.emplace_back(at_[r], at_[r] + leaf_.regions[r].content.size());
    return contents;
  }

 private:
  const Leaf& leaf_;
  std::vector<std::unique_ptr<Guarded>> guarded_;
  At at_{};
};

/// The bytes of each region that a leaf names.
class Named {
 public:
  /// `frame`: of the function that runs it.
  explicit Named(const Leaf& leaf, const At& at, const void* frame)
      : at_(at), frame_(static_cast<const std::byte*>(frame)) {
    for (const Region& region : leaf.regions) {
      loaded.emplace_back(region.content.size());
      stored.emplace_back(region.content.size());
    }
  }
  void load(const void* address, std::size_t bytes) { mark(loaded, address, bytes); }
  void store(const void* address, std::size_t bytes) { mark(stored, address, bytes); }

  std::vector<std::vector<char>> loaded, stored;

 private:
  void mark(std::vector<std::vector<char>>& of, const void* address, std::size_t bytes) {
    const auto* const first = static_cast<const std::byte*>(address);
    for (std::size_t r = 0; r < of.size(); ++r)
      if (first >= at_[r] && first + bytes <= at_[r] + of[r].size())
        return static_cast<void>(std::fill_n(of[r].begin() + (first - at_[r]), bytes, char{1}));
    // What a leaf has on the stack it may name or not.
    const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
    if (first < here || first >= frame_) ADD_FAILURE() << bytes << " bytes are named that are in no region";
  }

  const At& at_;
  const std::byte* frame_;
};

void expect_stores(const Leaf& leaf, Memory& memory, const Named& named,
                   const std::vector<std::size_t>& stored) {
  Contents ones = contents_of(leaf), others = ones;
  // Either is a number of every type, neither large nor small. Regions whose elements change places differ.
  auto one = std::byte{0x3f}, other = std::byte{0xc0};
  for (const std::size_t r : stored) {
    std::ranges::fill(ones[r], one);
    std::ranges::fill(others[r], other);
    std::swap(one, other);
  }
  const Contents of_ones = memory.after(ones), of_others = memory.after(others);
  for (std::size_t r = 0; r < ones.size(); ++r)
    for (std::size_t i = 0; i < ones[r].size(); i += leaf.regions[r].element) {
      bool kept = true, named_any = false;
      for (std::size_t byte = i; byte < i + leaf.regions[r].element; ++byte) {
        kept = kept && of_ones[r][byte] == ones[r][byte] && of_others[r][byte] == others[r][byte];
        named_any = named_any || named.stored[r][byte];
      }
      if (named_any && leaf.regions[r].keeps) continue;
      ASSERT_EQ(!kept, named_any) << "region " << r << ", element " << i / leaf.regions[r].element
                                  << (kept ? " is named and not stored" : " is stored and not named");
    }
}

void expect_loads(const Leaf& leaf, Memory& memory, const Named& named) {
  Contents contents = contents_of(leaf);
  const Contents expected = memory.after(contents);
  for (std::size_t r = 0; r < contents.size(); ++r) {
    // Of a large region one in so many, as each is a run.
    constexpr std::size_t most = 1000, prime = 13;
    const std::size_t size = leaf.regions[r].element, step = contents[r].size() / size > most ? prime : 1;
    for (std::size_t i = 0; i < contents[r].size(); i += step * size) {
      const bool is_named = named.loaded[r][i];
      if (is_named && leaf.regions[r].idle(i / size)) continue;
      const int bit = leaf.regions[r].bit;
      const std::size_t at = bit < 0 ? i + size - 1 : i + static_cast<std::size_t>(bit) / 8;
      const auto mask = static_cast<std::byte>(1 << (bit < 0 ? 7 : bit % 8));
      contents[r][at] ^= mask;
      Contents after = memory.after(contents);
      contents[r][at] ^= mask;
      if (after[r][at] == (contents[r][at] ^ mask) && !named.stored[r][i])
        after[r][at] = contents[r][at];  // it was not stored to
      ASSERT_EQ(after != expected, is_named)
          << "region " << r << ", element " << i / size
          << (is_named ? " is named and not loaded" : " is loaded and not named");
    }
  }
}

/// Bytes beside those of a leaf's memory: the one for a load or a store is stored to where that is named.
class Shadows {
 public:
  explicit Shadows(const Leaf& leaf, const At& at) : leaf_(leaf), at_(at) {
    for (const Region& region : leaf.regions) {
      loads_.emplace_back(region.content.size());
      stores_.emplace_back(region.content.size());
    }
  }
  void load(const void* address, std::size_t bytes) { touch(loads_, address, bytes); }
  void store(const void* address, std::size_t bytes) { touch(stores_, address, bytes); }

  void print() {
    for (std::size_t r = 0; r < loads_.size(); ++r)
      std::printf("REGION %p %zu %zu %p %p\n", static_cast<void*>(at_[r]), leaf_.regions[r].element,
                  loads_[r].size(), static_cast<void*>(loads_[r].data()),
                  static_cast<void*>(stores_[r].data()));
  }

 private:
  void touch(std::vector<std::vector<char>>& of, const void* address, std::size_t bytes) {
    for (std::size_t r = 0; r < of.size(); ++r) {
      const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(address) - at_[r]);
      for (std::size_t i = at; i < at + bytes && i < of[r].size(); ++i)
        static_cast<volatile char&>(of[r][i]) = 1;
    }
  }

  const Leaf& leaf_;
  const At& at_;
  std::vector<std::vector<char>> loads_, stores_;
};

}  // namespace

void expect_exact(const Leaf& leaf, const std::vector<std::size_t>& stored) {
  for (const Flush flush : {Flush::begin, Flush::end}) {
    Memory memory(leaf, flush);
    const Contents expected = memory.after(contents_of(leaf));
    Named named(leaf, memory.at(), __builtin_frame_address(0));
    AnySink sink(named);
    memory.fill(contents_of(leaf));
    leaf.traced(memory.at(), {&sink});
    for (std::size_t r = 0; r < expected.size(); ++r)
      ASSERT_TRUE(are_equal(leaf.regions[r], expected[r].data(), memory.at()[r]))
          << "the traced text stores another result in region " << r;
    expect_stores(leaf, memory, named, stored);
    if (flush == Flush::begin) expect_loads(leaf, memory, named);
  }
}

void run_observed(const Leaf& leaf, const Findings& expected) {
  static volatile char fence;
  Memory memory(leaf, Flush::end);
  Shadows shadows(leaf, memory.at());
  AnySink sink(shadows);
  shadows.print();
  std::printf("FENCE %p\n", static_cast<void*>(const_cast<char*>(&fence)));
  std::printf("STACK %p %zu\n", __builtin_frame_address(0), leaf.private_bytes);
  std::printf("EXPECTED %d %d %d %d %d\n", expected.not_named, expected.not_loaded, expected.not_stored,
              expected.out_of_turn, expected.elsewhere);
  std::fflush(stdout);
  // Symbols that are bound and targets that are chosen at a first call are stores of their own.
  memory.fill(contents_of(leaf));
  leaf.plain(memory.at(), Plain{});
  memory.fill(contents_of(leaf));
  fence = 1;
  leaf.plain(memory.at(), Plain{});
  fence = 2;
  memory.fill(contents_of(leaf));
  fence = 3;
  leaf.traced(memory.at(), {&sink});
  fence = 0;
}

}  // namespace tallcache::test
