// Sorts on the CPU, all of them stable.
//
//   std::vector<std::string> words = read();
//   tallcache::sort(words.begin(), words.end());
//   tallcache::sort(words.begin(), words.end(), std::greater<>{}, &std::string::size, threads);
//
// sort() takes any records and any comparator. counting_sort() is for unsigned 32-bit keys in [0, range].
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>

#include "common/execute.hpp"
#include "common/fork/parallel.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/span_views.hpp"
#include "cpu/sort/by_index.hpp"
#include "cpu/sort/distribution_sort.hpp"

namespace tallcache {

namespace detail {

/// Sorts `range`, whatever `less` answers or throws. What it threw first is thrown at the end.
template <class T, class Less>
void sort_records(std::span<T> range, Less& less, int threads) {
  namespace sort = cpu::sort;
  constexpr Index few = 64;
  const Index n = static_cast<Index>(range.size());
  sort::Failure failure;
  const sort::Caught<Less> caught{&less, &failure};
  const sort::Records<T> store;
  if (n <= few) {
    alignas(T) std::byte room[few * sizeof(T)];
    // With its arguments: clang deduces none for an aggregate before version 17.
    const sort::MergeLeaf<sort::Records<T>, sort::Caught<Less>> leaf{store, caught};
    leaf({range.data(), range.data(), reinterpret_cast<T*>(room), n});
    return failure.rethrow();
  }
  require_threads(threads);
  const SessionLease session({.threads = threads});
  const std::size_t bytes = sort::distribution_scratch_bytes<T>(n);
  Scratch<> scratch(session->memory(0, bytes, Pages::huge).first(bytes));
  const sort::DistributionSort program(store, caught, range.data(),
                                       sort::take_distribution_scratch<T>(scratch, n));
  if (threads == 1) {
    Serial fork;
    program(fork, n);
  } else {
    run_parallel(threads, [&](auto& fork) { program(fork, n); });
  }
  failure.rethrow();
}

template <class Iterator, class Less>
void sort_by_index(Iterator first, Index n, Less& less, int threads) {
  const auto order = std::make_unique_for_overwrite<Index[]>(static_cast<std::size_t>(n));
  const std::span<Index> all(order.get(), static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  const auto less_at = [&](Index a, Index b) { return less(first[a], first[b]); };
  sort_records(all, less_at, threads);
  cpu::sort::permute(first, all);
}

}  // namespace detail

/// `less(projection(a), projection(b))` says for two records behind such iterators whether a comes before b.
template <class Less, class Projection, class Iterator>
concept OrdersRecordsOf = std::random_access_iterator<Iterator> &&
    std::is_lvalue_reference_v<std::iter_reference_t<Iterator>> &&
    requires(Less& less, Projection& projection, const std::iter_value_t<Iterator>& record) {
  {
    std::invoke(less, std::invoke(projection, record), std::invoke(projection, record))
    } -> std::convertible_to<bool>;
};

/// The records can be moved as the sort does: from place to place, or by assignment (moves_often).
template <class Iterator>
concept SortsRecordsOf = std::move_constructible<std::iter_value_t<Iterator>> &&
    (cpu::sort::moves_often<Iterator> ||
     std::assignable_from<std::iter_reference_t<Iterator>, std::iter_value_t<Iterator>>);

/// Sorts [first, last) stably by less(projection(record), ...), on `threads` threads including the caller, on
/// each of which `less` and `projection` are called at the same time. Records are moved, need no default
/// constructor, and may be all that can be moved: std::unique_ptr, strings, pairs. n records take
/// (sizeof(record) + 1) n bytes of memory, which are kept for the next call, and O(n log n) time.
///
/// What `less` or `projection` throws is thrown, after all threads have stopped; until then they may be
/// called again. The range then holds its records in some order: each of them once. So it does where `less`
/// is no strict weak order. Records whose move constructor may throw, larger ones than 64 bytes, and those of
/// a std::deque are sorted by their indices, 17 n bytes, and then moved once: what `less` throws leaves them
/// as they were. If such a move throws, the record that was in hand is put into the free place; it is lost
/// only if that throws as well. Throws Error as require_threads does, and std::bad_alloc, before any record
/// moves.
///
/// Source: the distribution sort of cpu/sort/distribution_sort.hpp.
template <class Iterator, class Less = std::less<>, class Projection = std::identity>
requires OrdersRecordsOf<Less, Projection, Iterator> && SortsRecordsOf<Iterator>
void sort(Iterator first, Iterator last, Less less = {}, Projection projection = {}, int threads = 1) {
  using Record = std::iter_value_t<Iterator>;
  const auto by_key = [&](const Record& a, const Record& b) -> bool {
    return std::invoke(less, std::invoke(projection, a), std::invoke(projection, b));
  };
  if constexpr (cpu::sort::moves_often<Iterator> && std::same_as<Projection, std::identity>)
    detail::sort_records(std::span<Record>(first, last), less, threads);
  else if constexpr (cpu::sort::moves_often<Iterator>)
    detail::sort_records(std::span<Record>(first, last), by_key, threads);
  else
    detail::sort_by_index(first, last - first, by_key, threads);
}

/// The same of the records of a range: a std::vector, a std::span, a std::deque.
template <std::ranges::random_access_range Range, class Less = std::less<>, class Projection = std::identity>
requires std::ranges::common_range<Range> &&
    OrdersRecordsOf<Less, Projection, std::ranges::iterator_t<Range>> &&
    SortsRecordsOf<std::ranges::iterator_t<Range>>
void sort(Range&& records, Less less = {}, Projection projection = {}, int threads = 1) {
  sort(std::ranges::begin(records), std::ranges::end(records), std::move(less), std::move(projection),
       threads);
}

/// Sorts the n keys of `in` to `out` on `threads` threads including the caller. No key may be above `range`.
/// Throws Error when the sizes differ, the vectors overlap or a key is too large.
///
/// Source: Moreno Maza, "Counting sort" and "Cache friendly counting sort" (M8).
inline void counting_sort(VectorView<std::uint32_t> out, VectorView<const std::uint32_t> in,
                          std::uint32_t range, int threads = 1) {
  execute<CountingSort<false>>("bucketed_streaming", {.out = out, .in = in, .range = range}, {}, threads);
}

/// The same with a payload that moves with its key; equal keys keep their order.
inline void counting_sort(VectorView<std::uint32_t> out, VectorView<std::uint32_t> payload_out,
                          VectorView<const std::uint32_t> in, VectorView<const std::uint32_t> payload_in,
                          std::uint32_t range, int threads = 1) {
  execute<CountingSort<true>>(
      "bucketed_streaming",
      {.out = out, .in = in, .payload_out = payload_out, .payload_in = payload_in, .range = range}, {},
      threads);
}

/// What holds keys that are read: a std::vector, a std::span.
template <class T>
concept HoldsKeys = std::convertible_to<T, std::span<const std::uint32_t>>;
/// What holds keys that are written.
template <class T>
concept TakesKeys = std::convertible_to<T, std::span<std::uint32_t>>;

/// The same of vectors and spans.
template <TakesKeys Out, HoldsKeys In>
void counting_sort(Out&& out, In&& in, std::uint32_t range, int threads = 1) {
  counting_sort(vector_view(std::span<std::uint32_t>(out)), vector_view(std::span<const std::uint32_t>(in)),
                range, threads);
}
/// The same of vectors and spans with a payload.
template <TakesKeys Out, TakesKeys PayloadOut, HoldsKeys In, HoldsKeys PayloadIn>
void counting_sort(Out&& out, PayloadOut&& payload_out, In&& in, PayloadIn&& payload_in, std::uint32_t range,
                   int threads = 1) {
  counting_sort(vector_view(std::span<std::uint32_t>(out)),
                vector_view(std::span<std::uint32_t>(payload_out)),
                vector_view(std::span<const std::uint32_t>(in)),
                vector_view(std::span<const std::uint32_t>(payload_in)), range, threads);
}

}  // namespace tallcache
