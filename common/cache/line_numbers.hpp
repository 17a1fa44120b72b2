// Line addresses to dense line numbers, once for all models of a run.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/cache/model.hpp"
#include "common/error.hpp"

namespace tallcache::cache {

/// A page table. A leaf covers 2^20 lines (64 MiB of lines of 64 bytes). Leaves are allocated by calloc, so
/// the kernel gives memory only to the parts that are touched. The buffers of a run lie in a handful of
/// leaves, which a direct-mapped table of 64 entries finds without hashing.
class LineNumbers {
 public:
  /// The number of the line at address / line_bytes; the next free one when it is new.
  Line operator()(std::uint64_t address) {
    Recent& recent = recent_[(address >> leaf_bits) % recent_.size()];
    if (recent.leaf != address >> leaf_bits) [[unlikely]]
      recent = {address >> leaf_bits, leaf(address >> leaf_bits)};
    std::uint32_t& number = recent.numbers[address % leaf_lines];
    if (number == 0) [[unlikely]] {
      if (addresses_.size() == max_lines)
        throw Error("a trace touches more than 2^31 lines: use a larger line");
      addresses_.push_back(address);
      number = static_cast<std::uint32_t>(addresses_.size());
    }
    return number - 1;
  }

  /// The address / line_bytes of every number given out.
  std::span<const std::uint64_t> addresses() const { return addresses_; }

 private:
  static constexpr unsigned leaf_bits = 20;
  static constexpr std::uint64_t leaf_lines = std::uint64_t{1} << leaf_bits;

  struct Free {
    void operator()(std::uint32_t* p) const { std::free(p); }
  };
  struct Recent {
    std::uint64_t leaf = ~std::uint64_t{0};
    std::uint32_t* numbers = nullptr;
  };

  std::uint32_t* leaf(std::uint64_t index) {
    auto& numbers = leaves_[index];
    if (!numbers) numbers.reset(static_cast<std::uint32_t*>(std::calloc(leaf_lines, sizeof(std::uint32_t))));
    if (!numbers) throw Error("no memory for the line numbers of a trace: trace a smaller size");
    return numbers.get();
  }

  std::array<Recent, 64> recent_{};
  std::unordered_map<std::uint64_t, std::unique_ptr<std::uint32_t[], Free>> leaves_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace tallcache::cache
