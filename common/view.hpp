// Non-owning views of row-major matrices and of vectors. How an element is touched is a policy: Plain
// compiles to the bare load or store; Traced (traced.hpp) tells a cache model first. Algorithms are written
// once over both.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "common/named.hpp"

namespace tallcache {

/// The access policy of plain speed.
struct Plain {
  template <class T>
  static constexpr T& at(T* element) {
    return *element;
  }

  /// `element` becomes `desired` if it is `expected`; whether it did. Of several branches of a fork that
  /// claim an element at once, one does. Relaxed: the fork's end orders what they write besides.
  template <class T>
  static bool claim(T* element, T expected, T desired) {
    const std::atomic_ref<T> shared(*element);
    // Most elements are taken long before: a load leaves their lines where they are.
    return shared.load(std::memory_order_relaxed) == expected &&
           shared.compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  }
};

/// `rows` x `cols` elements, row i at data + i * ld (ld >= cols, in elements).
template <class T, class Access = Plain>
struct MatrixView {
  using value_type = std::remove_const_t<T>;

  T* data = nullptr;
  Index rows = 0, cols = 0, ld = 0;
  [[no_unique_address]] Access access{};

  constexpr decltype(auto) operator()(Index i, Index j) const { return access.at(data + i * ld + j); }

  /// The rows x cols block whose first element is (i, j).
  constexpr MatrixView block(Index i, Index j, Index block_rows, Index block_cols) const {
    return {data + i * ld + j, block_rows, block_cols, ld, access};
  }

  constexpr operator MatrixView<const T, Access>() const requires(!std::is_const_v<T>) {
    return {data, rows, cols, ld, access};
  }

  template <class Other>
  constexpr MatrixView<T, Other> with(Other other) const {
    return {data, rows, cols, ld, other};
  }
};

template <class T, class Access = Plain>
struct VectorView {
  using value_type = std::remove_const_t<T>;

  T* data = nullptr;
  Index size = 0;
  [[no_unique_address]] Access access{};

  constexpr decltype(auto) operator[](Index i) const { return access.at(data + i); }

  /// Plain::claim of element i.
  bool claim(Index i, T expected, T desired) const { return access.claim(data + i, expected, desired); }

  constexpr VectorView block(Index i, Index block_size) const { return {data + i, block_size, access}; }

  constexpr operator VectorView<const T, Access>() const requires(!std::is_const_v<T>) {
    return {data, size, access};
  }

  template <class Other>
  constexpr VectorView<T, Other> with(Other other) const {
    return {data, size, other};
  }
};

/// Row i of a matrix.
template <class T, class Access>
constexpr VectorView<T, Access> row_of(MatrixView<T, Access> a, Index i) {
  return {a.data + i * a.ld, a.cols, a.access};
}

/// The top and the bottom half of a matrix (the top one is the smaller when rows is odd).
template <class T, class Access>
constexpr auto halve_rows(MatrixView<T, Access> a) {
  const Index half = a.rows / 2;
  return std::pair{a.block(0, 0, half, a.cols), a.block(half, 0, a.rows - half, a.cols)};
}

/// The left and the right half of a matrix.
template <class T, class Access>
constexpr auto halve_cols(MatrixView<T, Access> a) {
  const Index half = a.cols / 2;
  return std::pair{a.block(0, 0, a.rows, half), a.block(0, half, a.rows, a.cols - half)};
}

/// Every element of `a` set to zero.
template <class T, class Access>
constexpr void zero(MatrixView<T, Access> a) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) a(i, j) = T{};
}

/// What a hand-vectorised kernel, which works on bare pointers, tells the access policy: that it reads
/// (writes) each of these elements once. Its trace is this footprint, not its single accesses. Nothing under
/// Plain.
template <class T, class Access>
constexpr void reads([[maybe_unused]] VectorView<T, Access> v) {
  if constexpr (!std::is_same_v<Access, Plain>)
    for (Index i = 0; i < v.size; ++i) v.access.load(v.data + i, sizeof(T));
}
template <class T, class Access>
constexpr void writes([[maybe_unused]] VectorView<T, Access> v) {
  if constexpr (!std::is_same_v<Access, Plain>)
    for (Index i = 0; i < v.size; ++i) v.access.store(v.data + i, sizeof(T));
}
template <class T, class Access>
constexpr void reads(MatrixView<T, Access> a) {
  if constexpr (!std::is_same_v<Access, Plain>)
    for (Index i = 0; i < a.rows; ++i) reads(row_of(a, i));
}
template <class T, class Access>
constexpr void writes(MatrixView<T, Access> a) {
  if constexpr (!std::is_same_v<Access, Plain>)
    for (Index i = 0; i < a.rows; ++i) writes(row_of(a, i));
}

/// Working memory that a variant asked for (its scratch()) and its caller owns. take() hands it out in
/// 64-byte aligned pieces, in the order and the sizes that scratch_bytes() added up.
template <class Access = Plain>
class Scratch {
 public:
  constexpr Scratch() = default;
  constexpr explicit Scratch(std::span<std::byte> bytes, Access access = {})
      : bytes_(bytes), access_(access) {}

  template <class T>
  VectorView<T, Access> vector(Index size) {
    return {take<T>(size), size, access_};
  }
  template <class T>
  MatrixView<T, Access> matrix(Index rows, Index cols) {
    return {take<T>(rows * cols), rows, cols, cols, access_};
  }

  template <class Other>
  constexpr Scratch<Other> with(Other other) const {
    return Scratch<Other>(bytes_, other);
  }

 private:
  template <class T>
  T* take(Index count);

  std::span<std::byte> bytes_;
  [[no_unique_address]] Access access_{};
};

/// The bytes of scratch that pieces of the given sizes (in bytes) take together.
constexpr std::size_t scratch_bytes(std::initializer_list<std::size_t> pieces) {
  std::size_t total = 0;
  for (std::size_t piece : pieces)
    total = checked_sum(total, checked_sum(piece, 63, "scratch") / 64 * 64, "scratch");
  return total;
}

template <class Access>
template <class T>
T* Scratch<Access>::take(Index count) {
  const std::size_t bytes = scratch_bytes({static_cast<std::size_t>(count) * sizeof(T)});
  if (bytes > bytes_.size()) throw Error("scratch: a variant took more than it asked for");
  T* piece = reinterpret_cast<T*>(bytes_.data());
  bytes_ = bytes_.subspan(bytes);
  return piece;
}

}  // namespace tallcache
