// Spreading records by splitters: a sorted sample of them, as a tree that a record descends without branches
// (Sanders, Winkel, "Super scalar sample sort", ESA 2004).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "common/random.hpp"
#include "cpu/sort/merge_leaf.hpp"
#include "cpu/sort/number_kernels.hpp"
#include "cpu/sort/number_order.hpp"

namespace tallcache::cpu::sort {

/// The number of a part among those into which a segment is spread.
using PartId = std::uint8_t;
inline constexpr int max_parts = 256;

/// Splitters s_0 < s_1 < ... of a segment: part i has the records in (s_(i - 1), s_i]. If the sample has
/// equal keys, each part is two: the records below s_i, and those that equal it, which are finished. A value
/// that dominates the segment is peeled off so.
template <class Store, class Less>
class Splitters {
 public:
  using T = typename Store::Record;
  /// Segments that were spread so often are leaves. Splitters drawn at random hardly ever make a part of more
  /// than half of a segment, unless its keys are equal, and then they finish it.
  static constexpr int most_levels = 8;

  /// Draws a sample of the segment for parts of about `part_size` records. The splitters are valid as long as
  /// the records stay where they are.
  Splitters(const Store& store, const Less& less, const Segment<T>& s, Index part_size)
      : store_(store), less_(less) {
    const int most = by_value ? 8 : 7;
    levels_ = std::clamp(static_cast<int>(std::bit_width(static_cast<std::size_t>(s.size / part_size))),
                         least_levels, most);
    draw(s);
  }

  int parts() const { return (1 << levels_) << equality_; }
  bool peels() const { return equality_; }
  /// The records of the part are equal.
  static bool finished(Index part, Index parts, bool peels) {
    return peels && part % 2 == 1 && part != parts - 1;
  }

  /// Whether move() moves the first record of a finished part alone, where has_copies() of it.
  bool counts_finished() const { return by_vectors(); }
  /// Zeros that are equal may differ by their sign.
  static bool has_copies(T number) { return !std::floating_point<T> || number != T{0}; }

  /// counts[part] += the number of the records in it, for each part. `ids`, a place for each record, is for
  /// move().
  template <class Ids, class Counts>
  void count(T* records, Index size, Ids ids, Counts counts) const {
    if constexpr (is_number_order<T, Less>)
      if (by_vectors()) return count_numbers(records, size, counts);
    if (equality_)
      classify<true>(records, size, ids, counts);
    else
      classify<false>(records, size, ids, counts);
  }

  /// Moves the records of each part, in their order, to the places of `to` from next[part] on, before
  /// end(part). `next` is then without meaning.
  template <class Ids, class Places, class End>
  void move(T* records, Index size, Ids ids, Places next, End end, T* to) const {
    if constexpr (is_number_order<T, Less>)
      if (by_vectors()) return move_numbers(records, size, next, end, to);
    for (Index i = 0; i < size; ++i) {
      T* const place = to + next[ids[i]]++;
      store_.prefetch_behind(place);
      store_.move(place, records + i);
    }
  }

 private:
  static constexpr bool by_value = is_bytes<T> && sizeof(T) <= 16;
  /// A splitter is a copy of the record, or where that may be expensive its address.
  using Splitter = std::conditional_t<by_value, T, const T*>;
  /// Vectors find so many parts as fast as fewer.
  static constexpr int least_levels = is_number_order<T, Less> ? few_levels : 1;
  static constexpr int max_splitters = max_parts, oversampling = 4, oversampling_few = 32;

  struct Room {
    alignas(Splitter) std::byte bytes[max_splitters * sizeof(Splitter)];
    Splitter* data() { return reinterpret_cast<Splitter*>(bytes); }
    const Splitter* data() const { return reinterpret_cast<const Splitter*>(bytes); }
  };

  bool by_vectors() const { return is_number_order<T, Less> && levels_ == few_levels; }

  const T& key(const Splitter& splitter) const {
    if constexpr (by_value)
      return splitter;
    else
      return store_.read(splitter);
  }

  [[gnu::noinline]] void draw(const Segment<T>& s) {
    alignas(Splitter) std::byte room[2 * oversampling * max_splitters * sizeof(Splitter)];
    Splitter* const sample = reinterpret_cast<Splitter*>(room);
    const Index size = std::min<Index>((by_vectors() ? oversampling_few : oversampling) << levels_, s.size);
    for (Index i = 0; i < size; ++i) {
      const auto position =
          static_cast<Index>(random_up_to(static_cast<std::uint64_t>(s.size), i, s.size - 1));
      if constexpr (by_value)
        std::memcpy(static_cast<void*>(sample + i), &store_.read(s.from + position), sizeof(T));
      else
        sample[i] = s.from + position;
    }
    const auto less = [this](const Splitter& a, const Splitter& b) { return less_(key(a), key(b)); };
    MergeLeaf<Records<Splitter>, decltype(less)>{{}, less}({sample, sample, sample + size, size});
    choose(sample, size);
  }

  /// Takes every (size / 2^levels)-th of the sorted sample, each value once; of fewer where some are equal
  /// and would have more parts than can be told apart.
  void choose(const Splitter* sample, Index size) {
    Splitter* const sorted = sorted_.data();
    int count;
    for (int levels = levels_;; --levels) {
      count = 0;
      equality_ = false;
      for (Index i = 1; i < Index{1} << levels; ++i) {
        const Splitter* const next = sample + (i * size >> levels);
        if (count && !less_(key(sorted[count - 1]), key(*next)))
          equality_ = true;
        else
          std::memcpy(static_cast<void*>(sorted + count++), next, sizeof(Splitter));
      }
      const auto needed = static_cast<int>(std::bit_width(static_cast<unsigned>(count)));
      levels_ = equality_ ? std::max(least_levels, needed) : levels;
      if (parts() <= max_parts) break;
    }
    for (int i = count; i < 1 << levels_; ++i)
      std::memcpy(static_cast<void*>(sorted + i), sorted + count - 1, sizeof(Splitter));
    // The node j of the level of 2^l nodes is at 2^l + j.
    for (int level = 0; level < levels_; ++level)
      for (int j = 0; j < 1 << level; ++j)
        std::memcpy(static_cast<void*>(tree_.data() + (1 << level) + j),
                    sorted + ((2 * j + 1) << (levels_ - level - 1)) - 1, sizeof(Splitter));
  }

  FewSplitters<T> few() const {
    FewSplitters<T> few{{}, equality_};
    std::copy_n(sorted_.data(), few_splitters, few.splitter);
    return few;
  }

  template <class Counts>
  void count_numbers(T* numbers, Index size, Counts counts) const {
    Index found[2 * few_parts]{};
    by_number_kernels(numbers, size, store_.access,
                      [&](const auto& kernels, auto in) { kernels.count(in, few(), found); });
    for (int part = 0; part < parts(); ++part) counts[part] += found[part];
  }

  template <class Begins, class End>
  void move_numbers(T* numbers, Index size, Begins begin, End end, T* to) const {
    Index from[few_parts], last[few_parts];
    for (int part = 0; part < few_parts; ++part)
      from[part] = begin[part << equality_], last[part] = end(part << equality_);
    by_number_kernels(numbers, size, store_.access, [&](const auto& kernels, auto in) {
      kernels.move(in, few(), VectorView<T>{to, 0}.with(in.access()), from, last);
    });
    for (int part = 1; equality_ && part < parts() - 1; part += 2) {
      T* place = to + begin[part];
      const T number = sorted_.data()[part / 2];
      if (has_copies(number))
        store_.fill(place, number, std::min<Index>(end(part) - begin[part], 1));
      else
        for (Index i = 0; i < size; ++i)
          if (store_.read(numbers + i) == T{0}) store_.move(place++, numbers + i);
    }
  }

  template <bool equality, class Ids, class Counts>
  void classify(T* records, Index size, Ids ids, Counts counts) const {
    // The descents of so many records are independent, and hide each other's latency.
    constexpr int together = 8;
    Index i = 0;
    for (; i + together <= size && !less_.failed(); i += together)
      classify_some<equality, together>(records + i, i, ids, counts);
    for (; i < size && !less_.failed(); ++i) classify_some<equality, 1>(records + i, i, ids, counts);
    for (; i < size; ++i) {
      ids[i] = 0;
      counts[0] += 1;
    }
  }

  template <bool equality, int together, class Ids, class Counts>
  void classify_some(T* records, Index at, Ids ids, Counts counts) const {
    unsigned node[together];
    for (int r = 0; r < together; ++r) node[r] = 1;
    const Splitter* const tree = tree_.data();
    for (int level = 0; level < levels_; ++level)
      for (int r = 0; r < together; ++r)
        node[r] = 2 * node[r] + less_(key(tree[node[r]]), store_.read(records + r));
    for (int r = 0; r < together; ++r) {
      unsigned part = node[r] - (1u << levels_);
      if constexpr (equality) part = 2 * part + !less_(store_.read(records + r), key(sorted_.data()[part]));
      ids[at + r] = static_cast<PartId>(part);
      counts[part] += 1;
    }
  }

  Store store_;
  Less less_;
  int levels_ = 0;
  bool equality_ = false;
  Room tree_, sorted_;
};

}  // namespace tallcache::cpu::sort
