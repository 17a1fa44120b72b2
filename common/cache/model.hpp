// What a cache model is fed: blocks of line accesses, lines numbered densely, repeats of a line folded
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tallcache::cache {

/// Lines carry small numbers 0, 1, 2, ... in the order of their first access, so that a model keeps what it
/// knows of a line in an array and looks nothing up. 31 bits: 128 GiB of distinct lines of 64 bytes.
using Line = std::uint32_t;
inline constexpr std::size_t most_lines = (std::size_t{1} << 31) - 1;

/// An access to a line and those to the same line that follow it at once. After a load come loads and stores
/// in any order; after a store come only stores, because a store need not bring the line into the cache. So
/// the accesses that follow are hits when the first one leaves the line resident, and do as the first one
/// otherwise.
struct LineAccess {
  std::uint32_t line : 31, store : 1;
  std::uint16_t more_loads, more_stores;

  std::uint64_t loads() const { return more_loads + std::uint64_t{!store}; }
  std::uint64_t stores() const { return more_stores + std::uint64_t{store}; }
};
static_assert(sizeof(LineAccess) == 8);

struct Block {
  std::span<const LineAccess> accesses;
  std::span<const std::uint64_t> addresses;  ///< of every Line so far: its address divided by line_bytes
  std::size_t line_bytes;
};

/// A cache model: one virtual call a block of some thousand accesses.
class Model {
 public:
  virtual ~Model() = default;
  virtual void consume(const Block& block) = 0;
};

}  // namespace tallcache::cache
