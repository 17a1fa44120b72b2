// Non-owning views of row-major matrices and of vectors. How an element is accessed is a policy: Plain
// compiles to the bare load or store; Traced (traced.hpp) first reports the access to a cache model.
// Algorithms are written once over both.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "common/named.hpp"

namespace tallcache {

/// The access policy of ordinary runs.
struct Plain {
  template <class T>
  static constexpr T& at(T* element) {
    return *element;
  }

  /// Sets `element` to `desired` if it is `expected`; returns whether it did. Of several branches of a fork
  /// that claim an element at once, one succeeds. The order is relaxed: the end of the fork orders their
  /// other writes.
  template <class T>
  static bool claim(T* element, T expected, T desired) {
    const std::atomic_ref<T> shared(*element);
    // Most elements were claimed long before: a load leaves their lines shared.
    return shared.load(std::memory_order_relaxed) == expected &&
           shared.compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  }

  /// Sets bits of an element that branches of a fork share, and returns what it was.
  template <class T>
  static T fetch_or(T* element, T bits) {
    const std::atomic_ref<T> shared(*element);
    const T old = shared.load(std::memory_order_relaxed);
    return (old & bits) == bits ? old : shared.fetch_or(bits, std::memory_order_relaxed);
  }
};

namespace detail {
// The members of a view. A plain view has no member for its access policy: nvcc gives an empty
// [[no_unique_address]] member of a struct eight bytes in a kernel, where the host gives it none.
template <class T, class Access>
struct MatrixMembers {
  T* data = nullptr;
  Index rows = 0, cols = 0, ld = 0;
  Access policy{};

  constexpr Access access() const { return policy; }
};
template <class T>
struct MatrixMembers<T, Plain> {
  T* data = nullptr;
  Index rows = 0, cols = 0, ld = 0;

  static constexpr Plain access() { return {}; }
};

template <class T, class Access>
struct VectorMembers {
  T* data = nullptr;
  Index size = 0;
  Access policy{};

  constexpr Access access() const { return policy; }
};
template <class T>
struct VectorMembers<T, Plain> {
  T* data = nullptr;
  Index size = 0;

  static constexpr Plain access() { return {}; }
};
}  // namespace detail

/// `rows` x `cols` elements, row i at data + i * ld (ld >= cols, in elements): {data, rows, cols, ld}, and
/// behind them the access policy unless it is Plain. A plain view is 32 bytes in that order, on the host and
/// on a device.
template <class T, class Access = Plain>
struct MatrixView : detail::MatrixMembers<T, Access> {
  using value_type = std::remove_const_t<T>;
  using access_type = Access;
  using Members = detail::MatrixMembers<T, Access>;
  using Members::data, Members::rows, Members::cols, Members::ld, Members::access;

  constexpr decltype(auto) operator()(Index i, Index j) const { return access().at(data + i * ld + j); }

  /// The rows x cols block whose first element is (i, j).
  constexpr MatrixView block(Index i, Index j, Index block_rows, Index block_cols) const {
    return MatrixView<T>{data + i * ld + j, block_rows, block_cols, ld}.with(access());
  }

  /// To MatrixView<const T, Access>, and to nothing that is a part of it: {view} is no view without
  /// its access.
  template <std::same_as<MatrixView<const T, Access>> Constant>
  constexpr operator Constant() const requires(!std::is_const_v<T>) {
    return MatrixView<const T>{data, rows, cols, ld}.with(access());
  }

  template <class Other>
  constexpr MatrixView<T, Other> with([[maybe_unused]] Other other) const {
    if constexpr (std::is_same_v<Other, Plain>)
      return {data, rows, cols, ld};
    else
      return {data, rows, cols, ld, other};
  }
};

/// `size` elements from data on: {data, size}, and behind them the access policy unless it is Plain. A plain
/// view is 16 bytes.
template <class T, class Access = Plain>
struct VectorView : detail::VectorMembers<T, Access> {
  using value_type = std::remove_const_t<T>;
  using access_type = Access;
  using Members = detail::VectorMembers<T, Access>;
  using Members::data, Members::size, Members::access;

  constexpr decltype(auto) operator[](Index i) const { return access().at(data + i); }

  /// Plain::claim of element i.
  bool claim(Index i, T expected, T desired) const { return access().claim(data + i, expected, desired); }

  constexpr VectorView block(Index i, Index block_size) const {
    return VectorView<T>{data + i, block_size}.with(access());
  }

  template <std::same_as<VectorView<const T, Access>> Constant>
  constexpr operator Constant() const requires(!std::is_const_v<T>) {
    return VectorView<const T>{data, size}.with(access());
  }

  template <class Other>
  constexpr VectorView<T, Other> with([[maybe_unused]] Other other) const {
    if constexpr (std::is_same_v<Other, Plain>)
      return {data, size};
    else
      return {data, size, other};
  }
};

/// A parameter that is only read. A view of elements that may be written converts to it.
template <class T, class Access>
using ConstantMatrix = std::type_identity_t<MatrixView<const T, Access>>;

/// Row i of a matrix.
template <class T, class Access>
constexpr VectorView<T, Access> row_of(MatrixView<T, Access> a, Index i) {
  return VectorView<T>{a.data + i * a.ld, a.cols}.with(a.access());
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

/// Working memory that a variant requests (its scratch()) and its caller owns. take() returns it in 64-byte
/// aligned pieces, in the order and the sizes of scratch_bytes().
template <class Access = Plain>
class Scratch : Access {  // a base: an empty one takes no room, for nvcc as well (MatrixMembers)
 public:
  constexpr Scratch() = default;
  constexpr explicit Scratch(std::span<std::byte> bytes, Access access = {})
      : Access(access), bytes_(bytes) {}

  template <class T>
  VectorView<T, Access> vector(Index size) {
    return VectorView<T>{take<T>(size), size}.with(access());
  }
  template <class T>
  MatrixView<T, Access> matrix(Index rows, Index cols) {
    return MatrixView<T>{take<T>(rows * cols), rows, cols, cols}.with(access());
  }

  /// The bytes that are left.
  std::size_t bytes_left() const { return bytes_.size(); }

  template <class Other>
  constexpr Scratch<Other> with(Other other) const {
    return Scratch<Other>(bytes_, other);
  }

 private:
  template <class T>
  T* take(Index count);

  constexpr Access access() const { return *this; }

  std::span<std::byte> bytes_;
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
