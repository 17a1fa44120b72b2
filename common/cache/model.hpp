// The input of a cache model: blocks of line accesses. Lines are numbered densely, and repeats of a line are
// folded together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tallcache::cache {

/// Lines are numbered 0, 1, 2, ... in the order of their first access, so that a model can store its state of
/// a line in an array. 31 bits suffice for 128 GiB of distinct lines of 64 bytes.
using Line = std::uint32_t;
inline constexpr std::size_t max_lines = (std::size_t{1} << 31) - 1;

/// An access to a line, and the accesses to the same line that follow it at once. A load is followed by loads
/// and stores in any order, a store only by stores, because a store need not bring the line into the cache.
/// The accesses that follow are therefore hits when the first one leaves the line resident; otherwise they
/// behave as the first one did.
struct LineAccess {
  std::uint32_t line : 31, store : 1;
  std::uint16_t more_loads, more_stores;

  std::uint64_t loads() const { return more_loads + std::uint64_t{!store}; }
  std::uint64_t stores() const { return more_stores + std::uint64_t{store}; }
};
static_assert(sizeof(LineAccess) == 8);

/// The bytes of a line that an access touches, the last one included.
struct LineBytes {
  std::uint8_t first, last;
};

struct Block {
  std::span<const LineAccess> accesses;
  std::span<const std::uint64_t> addresses;  ///< of every Line so far: its address divided by line_bytes
  std::size_t line_bytes;
  std::span<const std::uint32_t> sites{};  ///< of each access, where the tracer tells sites apart
  std::span<const LineBytes> bytes{};      ///< of each access, where the tracer keeps them
};

/// A cache model. There is one virtual call for each block of some thousand accesses.
class Model {
 public:
  virtual ~Model() = default;
  virtual void consume(const Block& block) = 0;
};

}  // namespace tallcache::cache
