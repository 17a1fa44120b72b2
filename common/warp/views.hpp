// The counted access policy: views that report their accesses, with their place in the text, to a
// warp's recorder.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "common/view.hpp"
#include "common/warp/recorder.hpp"

namespace tallcache::warp {

/// An index that knows where it is written: an operator[] has room for no more than one argument.
struct Subscript {
  Index index;
  std::source_location where;

  template <std::convertible_to<Index> I>
  constexpr Subscript(const I& i, std::source_location place = std::source_location::current())
      : index(static_cast<Index>(i)), where(place) {}
};

/// Stands for T& in a kernel: reading it is one access of its lane, assigning another.
template <class T>
class Reference {
 public:
  using value_type = std::remove_const_t<T>;

  Reference(T* element, Recorder* recorder, std::uint64_t address, cache::Space space,
            std::source_location where)
      : element_(element), recorder_(recorder), address_(address), where_(where), space_(space) {}
  Reference(const Reference&) = default;

  operator value_type() const {
    record(cache::AccessKind::load);
    return *element_;
  }
  const Reference& operator=(value_type value) const {
    record(cache::AccessKind::store);
    *element_ = value;
    return *this;
  }
  const Reference& operator=(const Reference& other) const { return *this = static_cast<value_type>(other); }
  const Reference& operator+=(value_type value) const {
    return *this = static_cast<value_type>(static_cast<value_type>(*this) + value);
  }
  /// The old value. The lanes of a block run one after another, so this is all that it takes.
  value_type atomic_add(value_type value) const {
    record(cache::AccessKind::atomic);
    const value_type old = *element_;
    *element_ = static_cast<value_type>(old + value);
    return old;
  }

 private:
  void record(cache::AccessKind kind) const { recorder_->access(where_, space_, kind, address_, sizeof(T)); }

  T* element_;
  Recorder* recorder_;
  std::uint64_t address_;
  std::source_location where_;
  cache::Space space_;
};

/// Arrays of global memory: an element's address on the machine is its own plus `offset`.
struct Counted {
  Recorder* recorder = nullptr;
  std::uint64_t offset = 0;

  template <class T>
  Reference<T> at(T* element, const std::source_location& where) const {
    return {element, recorder, reinterpret_cast<std::uintptr_t>(element) + offset, cache::Space::global,
            where};
  }
};

/// An array of a block's shared memory, `T` as a kernel declares it: float[32][33].
template <class T>
class SharedArray;

template <class T, std::size_t n>
class SharedArray<T[n]> {
 public:
  SharedArray(T* elements, Recorder* recorder, std::uint64_t address)
      : elements_(elements), recorder_(recorder), address_(address) {}

  SharedArray<T> operator[](Index i) const requires(std::is_array_v<T>) {
    return {elements_[i], recorder_, address_ + i * sizeof(T)};
  }
  Reference<T> operator[](Subscript s) const requires(!std::is_array_v<T>) {
    return {elements_ + s.index, recorder_, address_ + s.index * sizeof(T), cache::Space::shared, s.where};
  }

 private:
  T* elements_;
  Recorder* recorder_;
  std::uint64_t address_;
};

template <class T>
class SharedArray<T[]> : public SharedArray<T[1]> {
  using SharedArray<T[1]>::SharedArray;
};

}  // namespace tallcache::warp

namespace tallcache {

/// The members are those of every matrix view; an element knows its place in the text.
template <class T>
struct MatrixView<T, warp::Counted> : detail::MatrixMembers<T, warp::Counted> {
  using value_type = std::remove_const_t<T>;
  using access_type = warp::Counted;
  using Members = detail::MatrixMembers<T, warp::Counted>;
  using Members::data, Members::rows, Members::cols, Members::ld, Members::access;

  warp::Reference<T> operator()(Index i, Index j,
                                std::source_location where = std::source_location::current()) const {
    return access().at(data + i * ld + j, where);
  }

  template <std::same_as<MatrixView<const T, warp::Counted>> Constant>
  operator Constant() const requires(!std::is_const_v<T>) {
    return MatrixView<const T>{data, rows, cols, ld}.with(access());
  }
};

template <class T>
struct VectorView<T, warp::Counted> : detail::VectorMembers<T, warp::Counted> {
  using value_type = std::remove_const_t<T>;
  using access_type = warp::Counted;
  using Members = detail::VectorMembers<T, warp::Counted>;
  using Members::data, Members::size, Members::access;

  warp::Reference<T> operator[](warp::Subscript s) const { return access().at(data + s.index, s.where); }

  template <std::same_as<VectorView<const T, warp::Counted>> Constant>
  operator Constant() const requires(!std::is_const_v<T>) {
    return VectorView<const T>{data, size}.with(access());
  }
};

}  // namespace tallcache
