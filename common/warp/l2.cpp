#include "common/warp/l2.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tallcache::warp {

void L2::consume(const cache::WarpMachine& machine, const cache::WarpRequest& request) {
  if (request.space != cache::Space::global) return;
  const auto sector_bytes = static_cast<std::uint64_t>(machine.sector_bytes);
  std::array<std::uint64_t, 32> memory;
  std::size_t size = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (request.mask >> lane & 1)
      if (const std::uint64_t sector = request.address[lane] / sector_bytes;
          size == 0 || memory[size - 1] != sector)
        memory[size++] = sector;
  const std::span sectors(memory.data(), size);
  if (!std::ranges::is_sorted(sectors)) std::ranges::sort(sectors);
  const bool stores = request.kind == cache::AccessKind::store || request.kind == cache::AccessKind::atomic;
  const std::uint64_t sectors_of_line = line_bytes / sector_bytes;
  std::uint64_t line = ~std::uint64_t{0}, last = line;
  bool hit = false;
  for (const std::uint64_t sector : sectors) {
    if (sector == last) continue;
    last = sector;
    if (sector / sectors_of_line != line) {
      line = sector / sectors_of_line;
      const cache::Line number = numbers_(line);
      if (number >= dirty_.size()) dirty_.resize(std::max<std::size_t>(2 * dirty_.size(), number + 1));
      hit = lru_.access(number);
      if (!hit) {
        if (dirty_[number]) counts_.bytes_written += line_bytes;
        dirty_[number] = false;
        if (request.kind != cache::AccessKind::store) counts_.bytes_read += line_bytes;
      }
      if (stores) dirty_[number] = true;
    }
    ++counts_.sectors;
    counts_.hits += hit || request.kind == cache::AccessKind::store;
  }
}

}  // namespace tallcache::warp
