// A few named integers in a fixed order: the sizes of a problem (Shape), the parameters of a
// variant (Params).
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace tallcache {

/// Sizes and indices, signed so that a difference of two is a size too.
using Index = std::ptrdiff_t;

/// Names are not copied: they point at string literals of the operation or variant that owns them.
class Named {
 public:
  struct Item {
    std::string_view name;
    Index value = 0;
    friend constexpr bool operator==(const Item&, const Item&) = default;
  };

  constexpr Named() = default;
  constexpr Named(std::initializer_list<Item> items) {
    for (const Item& item : items) set(item.name, item.value);
  }

  constexpr const Item* begin() const { return items_.data(); }
  constexpr const Item* end() const { return items_.data() + size_; }
  constexpr bool empty() const { return size_ == 0; }

  constexpr const Item* find(std::string_view name) const {
    for (const Item& item : *this)
      if (item.name == name) return &item;
    return nullptr;
  }

  /// The value called `name`; throws Error when there is none.
  constexpr Index operator[](std::string_view name) const {
    if (const Item* item = find(name)) return item->value;
    throw Error("no value called '" + std::string(name) + "'");
  }

  constexpr void set(std::string_view name, Index value) {
    for (std::size_t i = 0; i < size_; ++i)
      if (items_[i].name == name) {
        items_[i].value = value;
        return;
      }
    if (size_ == items_.size()) throw Error("too many named values at '" + std::string(name) + "'");
    items_[size_++] = {name, value};
  }

  constexpr Named with(std::string_view name, Index value) const {
    Named copy = *this;
    copy.set(name, value);
    return copy;
  }

  friend constexpr bool operator==(const Named& a, const Named& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (a.items_[i] != b.items_[i]) return false;
    return true;
  }

 private:
  std::array<Item, 8> items_{};
  std::size_t size_ = 0;
};

using Shape = Named;
using Params = Named;

}  // namespace tallcache
