// Keys on which a sort by comparisons does as much work as it can be made to do.
#pragma once

#include <cstdint>
#include <vector>

#include "common/view.hpp"

namespace tallcache::test {

/// McIlroy's adversary ("A killer adversary for quicksort", 1999). A sort of items finds out their order only
/// as it compares them, and the answers make each pivot one of the least of those that are left.
class Adversary {
 public:
  struct Item {
    std::int32_t number;
    friend bool operator<(Item x, Item y) { return is_less(x.number, y.number); }
    friend bool operator>(Item x, Item y) { return y < x; }
    friend bool operator>=(Item x, Item y) { return !(x < y); }
    friend bool operator==(Item x, Item y) { return x.number == y.number || (!(x < y) && !(y < x)); }
  };

  /// The keys on which `sort(items)` compares as often as the adversary can make it.
  template <class Sort>
  static std::vector<std::uint32_t> keys(Index n, Sort&& sort) {
    open_ = static_cast<std::uint32_t>(n);
    values_.assign(static_cast<std::size_t>(n), open_);
    next_ = 0, candidate_ = -1, compared_ = 0;
    std::vector<Item> items(values_.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = {static_cast<std::int32_t>(i)};
    sort(VectorView<Item>{items.data(), n});
    return values_;
  }
  static double compared() { return static_cast<double>(compared_); }

  static bool is_less(std::int32_t x, std::int32_t y) {
    ++compared_;
    auto &a = values_[x], &b = values_[y];
    if (a == open_ && b == open_) (x == candidate_ ? a : b) = next_++;
    if (a == open_)
      candidate_ = x;
    else if (b == open_)
      candidate_ = y;
    return a < b;
  }

 private:
  static inline std::vector<std::uint32_t> values_;  // of an item; open_: larger than all that are known
  static inline std::uint32_t open_ = 0, next_ = 0;
  static inline std::int32_t candidate_ = -1;
  static inline std::uint64_t compared_ = 0;
};

}  // namespace tallcache::test
