// Comparisons that a NaN cannot pass, shared by the operations' checks.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/element.hpp"
#include "common/in_parts.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"
#include "common/view.hpp"

namespace tallcache {

/// |got - expected| <= bound; false when either is NaN.
inline bool within(double got, double expected, double bound) { return std::abs(got - expected) <= bound; }

/// The full digits of a value: two values that differ print differently.
template <class T>
std::string digits(const T& value) {
  return Element<T>::text(value);
}

inline std::string position(Index i, Index j) {
  return "(" + std::to_string(i) + ", " + std::to_string(j) + ")";
}

/// Writing between the columns and the leading dimension is an error: the padding must still hold the poison.
template <class T>
Check check_padding(MatrixView<const T> m) {
  for (Index i = 0; i < m.rows; ++i) {
    const auto* row = reinterpret_cast<const unsigned char*>(m.data + i * m.ld);
    for (std::size_t b = m.cols * sizeof(T); b < m.ld * sizeof(T); ++b)
      if (row[b] != Element<T>::poison)
        return Check::wrong("padding of row " + std::to_string(i), "untouched", "written");
  }
  return {};
}

/// Whether two byte ranges share memory. Empty ranges share none.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto a0 = reinterpret_cast<std::uintptr_t>(a), b0 = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes && b_bytes && a0 < b0 + b_bytes && b0 < a0 + a_bytes;
}

/// The bytes from the first element of a view to behind its last.
template <class T>
std::size_t extent_bytes(const MatrixView<T>& m) {
  return m.rows && m.cols ? ((m.rows - 1) * m.ld + m.cols) * sizeof(T) : 0;
}
template <class T>
std::size_t extent_bytes(const VectorView<T>& v) {
  return v.size * sizeof(T);
}

/// Throws Error unless `view` is a valid matrix: no negative size, ld >= cols, data where there are elements.
template <class T>
void validate_view(const MatrixView<T>& view, const char* name) {
  if (view.rows < 0 || view.cols < 0)
    throw Error(std::string(name) + ": negative size " + std::to_string(view.rows) + " x " +
                std::to_string(view.cols));
  if (view.ld < view.cols)
    throw Error(std::string(name) + ": leading dimension " + std::to_string(view.ld) + " is smaller than " +
                std::to_string(view.cols) + " columns");
  checked_product(checked_product(view.rows, view.ld, name), sizeof(T), name);
  if (view.rows && view.cols && !view.data) throw Error(std::string(name) + ": no data");
}

template <class T, class U>
void validate_disjoint(const T& out, const char* out_name, const U& in, const char* in_name) {
  if (overlap(out.data, extent_bytes(out), in.data, extent_bytes(in)))
    throw Error(std::string(out_name) + " and " + in_name + " overlap");
}

/// The bytes of a rows x (cols + pad) matrix; throws Error when they overflow.
template <class T>
std::size_t matrix_bytes(Index rows, Index cols, Index pad) {
  return checked_product(checked_product(rows, checked_sum(cols, pad, "columns"), "matrix"), sizeof(T),
                         "matrix");
}

template <class T>
MatrixView<T> bind_matrix(std::byte* data, Index rows, Index cols, Index pad) {
  return {reinterpret_cast<T*>(data), rows, cols, cols + pad};
}

/// Element number `position` of a seeded input matrix.
///   "uniform": as Element<T>::uniform.  "integers": whole numbers in [-4, 4], whose sums are exact.
template <class T>
T matrix_element(std::string_view input, std::uint64_t seed, std::uint64_t position) {
  if (input == "integers") return static_cast<T>(static_cast<int>(random_up_to(seed, position, 8)) - 4);
  return Element<T>::uniform(seed, position);
}

inline constexpr std::string_view matrix_inputs[] = {"uniform", "integers"};

/// A seeded input matrix. Its padding keeps the poison (NaN), so that a variant that reads it shows.
template <class T>
void fill_matrix(MatrixView<T> m, std::string_view input, std::uint64_t seed) {
  in_parts(m.rows, rows_of_part(m.ld), [&](Index first, Index last) {
    if (m.ld > 0)
      std::memset(static_cast<void*>(m.data + first * m.ld), Element<T>::poison,
                  (last - first) * m.ld * sizeof(T));
    for (Index i = first; i < last; ++i)
      for (Index j = 0; j < m.cols; ++j) m(i, j) = matrix_element<T>(input, seed, i * m.cols + j);
  });
}

/// Checks that m(i, j) is expected(i, j) everywhere, and the padding untouched.
template <class T, class Expected>
Check check_elements(MatrixView<const T> m, const Expected& expected) {
  if (Check padding = check_padding(m); !padding) return padding;
  return first_wrong(m.rows, rows_of_part(m.cols), [&](Index first, Index last) -> Check {
    for (Index i = first; i < last; ++i)
      for (Index j = 0; j < m.cols; ++j)
        if (const T value = expected(i, j); !(m(i, j) == value))
          return Check::wrong(position(i, j), digits(value), digits(m(i, j)));
    return {};
  });
}

}  // namespace tallcache
