// Views whose access policy gets the place in the text of every access.
#pragma once

#include <concepts>

#include "common/place.hpp"
#include "common/view.hpp"

namespace tallcache {

/// Access policies with at(element, place).
template <class Access>
concept Placed = requires(const Access access, char* element, Place place) {
  access.at(element, place);
};

/// An index that knows where it is written: an operator[] has room for no more than one argument.
struct Subscript {
  Index index;
  Place place;

  template <std::convertible_to<Index> I>
  constexpr Subscript(const I& i, Place where = Place::current())
      : index(static_cast<Index>(i)), place(where) {}
};

/// The members are those of every matrix view; an element knows its place in the text.
template <class T, Placed Access>
struct MatrixView<T, Access> : detail::MatrixMembers<T, Access> {
  using value_type = std::remove_const_t<T>;
  using access_type = Access;
  using Members = detail::MatrixMembers<T, Access>;
  using Members::data, Members::rows, Members::cols, Members::ld, Members::access;

  decltype(auto) operator()(Index i, Index j, Place place = Place::current()) const {
    return access().at(data + i * ld + j, place);
  }

  MatrixView block(Index i, Index j, Index block_rows, Index block_cols) const {
    return MatrixView<T>{data + i * ld + j, block_rows, block_cols, ld}.with(access());
  }

  template <std::same_as<MatrixView<const T, Access>> Constant>
  operator Constant() const requires(!std::is_const_v<T>) {
    return MatrixView<const T>{data, rows, cols, ld}.with(access());
  }
};

template <class T, Placed Access>
struct VectorView<T, Access> : detail::VectorMembers<T, Access> {
  using value_type = std::remove_const_t<T>;
  using access_type = Access;
  using Members = detail::VectorMembers<T, Access>;
  using Members::data, Members::size, Members::access;

  decltype(auto) operator[](Subscript s) const { return access().at(data + s.index, s.place); }

  bool claim(Index i, T expected, T desired, Place place = Place::current()) const {
    return access().claim(data + i, expected, desired, place);
  }

  VectorView block(Index i, Index block_size) const {
    return VectorView<T>{data + i, block_size}.with(access());
  }

  template <std::same_as<VectorView<const T, Access>> Constant>
  operator Constant() const requires(!std::is_const_v<T>) {
    return VectorView<const T>{data, size}.with(access());
  }

  template <class Other>
  VectorView<T, Other> with(Other other) const {
    return VectorView<T>{data, size}.with(other);
  }
};

}  // namespace tallcache
