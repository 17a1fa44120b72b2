// The traced access policy: every element access is reported to a sink before it happens. A sink has
//
//   void load(const void* address, std::size_t bytes);
//   void store(const void* address, std::size_t bytes);
#pragma once

#include <cstddef>
#include <type_traits>

#include "common/view.hpp"

namespace tallcache {

template <class Sink>
struct Traced {
  Sink* sink = nullptr;

  /// A proxy for T&: reading it is one load, assigning one store, `+=` one of each.
  template <class T>
  class Reference {
   public:
    using value_type = std::remove_const_t<T>;

    Reference(T* element, Sink* sink) : element_(element), sink_(sink) {}
    Reference(const Reference&) = default;

    operator value_type() const {
      sink_->load(element_, sizeof(T));
      return *element_;
    }
    const Reference& operator=(value_type value) const {
      sink_->store(element_, sizeof(T));
      *element_ = value;
      return *this;
    }
    const Reference& operator=(const Reference& other) const {
      return *this = static_cast<value_type>(other);
    }
    const Reference& operator+=(value_type value) const {
      return *this = static_cast<value_type>(static_cast<value_type>(*this) + value);
    }
    const Reference& operator-=(value_type value) const {
      return *this = static_cast<value_type>(static_cast<value_type>(*this) - value);
    }
    /// The old value, as for T&: counting sort's `count[key]++`.
    value_type operator++(int) const {
      const value_type old = *this;
      *this = static_cast<value_type>(old + 1);
      return old;
    }
    friend void swap(const Reference& a, const Reference& b) {
      const value_type old = a;
      a = static_cast<value_type>(b);
      b = old;
    }

   private:
    T* element_;
    Sink* sink_;
  };

  template <class T>
  Reference<T> at(T* element) const {
    return {element, sink};
  }

  /// The footprint of a kernel that works on bare pointers (reads() and writes() of view.hpp).
  void load(const void* address, std::size_t bytes) const { sink->load(address, bytes); }
  void store(const void* address, std::size_t bytes) const { sink->store(address, bytes); }

  /// One load, and one store where the claim is granted.
  template <class T>
  bool claim(T* element, T expected, T desired) const {
    sink->load(element, sizeof(T));
    const bool granted = Plain::claim(element, expected, desired);
    if (granted) sink->store(element, sizeof(T));
    return granted;
  }
};

}  // namespace tallcache
