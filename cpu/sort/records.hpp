// The store of a distribution sort: where its records lie, and how they move. A record lies in the range or
// in the buffer, which is as long and holds nothing at first; each place of either is memory with or without
// a record. A record moves by being made in its new place and destroyed in the old one, so that it needs
// neither a default constructor nor assignment, and its value exists once at any time.
//
// A store of a digit-based sort would hold keys apart from records; all that the recursion asks of it is
// here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "common/traced.hpp"

namespace tallcache::cpu::sort {

/// Records that are bytes: a copy of them may be dropped, and one of them may be read after it was copied.
template <class T>
inline constexpr bool is_bytes = std::is_trivially_copyable_v<T>&& std::is_trivially_destructible_v<T>;

/// The ways to move and to read records of type T, whose move constructor does not throw.
template <class T, class Access = Plain>
struct Records {
  using Record = T;

  [[no_unique_address]] Access access{};

  /// The record to be compared.
  const T& read(const T* record) const { return *load_n(access, record, 1); }

  void move(T* to, T* from) const {
    from = load_n(access, from, 1), to = store_n(access, to, 1);
    if constexpr (is_bytes<T>) {
      std::memcpy(static_cast<void*>(to), from, sizeof(T));
    } else {
      std::construct_at(to, std::move(*from));
      std::destroy_at(from);
    }
  }

  /// Fetches the line behind that of a place, which the next records of the part need: a store to a line that
  /// is in no cache near holds up all stores behind it.
  void prefetch_behind(const T* place) const {
    __builtin_prefetch(reinterpret_cast<const std::byte*>(place) + 64, 1);
  }

  /// The places do not overlap.
  void move_all(T* to, T* from, Index count) const {
    for (Index i = 0; i < count; ++i) move(to + i, from + i);
  }

  /// Writes copies of a record that is bytes.
  void fill(T* to, const T& record, Index count) const {
    std::fill_n(store_n(access, to, count), count, record);
  }

  /// The records in [first, last) the other way round.
  void reverse(T* first, T* last) const {
    alignas(T) std::byte room[sizeof(T)];
    T* const held = reinterpret_cast<T*>(room);
    for (; last - first > 1; ++first) {
      --last;
      move(held, first), move(first, last), move(last, held);
    }
  }
};

/// A part of the records: `size` of them at `from`, which is `home` (its places in the range) or `other` (the
/// same places of the buffer). Sorted, or left as it is after a failure, it is at home.
template <class T>
struct Segment {
  T *from, *home, *other;
  Index size;

  /// The place where they are not.
  T* free() const { return from == home ? other : home; }
  /// The part from `begin` on after all were moved to free().
  Segment moved(Index begin, Index count) const {
    return {free() + begin, home + begin, other + begin, count};
  }
};

}  // namespace tallcache::cpu::sort
