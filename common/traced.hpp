// The traced access policy: every element access is reported to a sink before it happens. A sink has
//
//   void load(const void* address, std::size_t bytes);
//   void store(const void* address, std::size_t bytes);
//
// and, where it wants to know the place of the access in the text, a Place behind the bytes.
#pragma once

#include <cstddef>
#include <type_traits>

#include "common/placed_view.hpp"

namespace tallcache {
namespace detail {
template <class Sink>
void report_load(Sink& sink, const void* address, std::size_t bytes, Place place) {
  if constexpr (requires { sink.load(address, bytes, place); })
    sink.load(address, bytes, place);
  else
    sink.load(address, bytes);
}
template <class Sink>
void report_store(Sink& sink, const void* address, std::size_t bytes, Place place) {
  if constexpr (requires { sink.store(address, bytes, place); })
    sink.store(address, bytes, place);
  else
    sink.store(address, bytes);
}
}  // namespace detail

template <class Sink>
struct Traced {
  Sink* sink = nullptr;

  /// A proxy for T&: reading it is one load, assigning one store, `+=` one of each.
  template <class T>
  class Reference {
   public:
    using value_type = std::remove_const_t<T>;

    Reference(T* element, Sink* sink, Place place) : element_(element), sink_(sink), place_(place) {}
    Reference(const Reference&) = default;

    operator value_type() const {
      detail::report_load(*sink_, element_, sizeof(T), place_);
      return *element_;
    }
    const Reference& operator=(value_type value) const {
      detail::report_store(*sink_, element_, sizeof(T), place_);
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
    value_type operator++() const {
      const value_type value = static_cast<value_type>(static_cast<value_type>(*this) + 1);
      *this = value;
      return value;
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
    Place place_;
  };

  template <class T>
  Reference<T> at(T* element, Place place = Place::current()) const {
    return {element, sink, place};
  }

  /// One load, and one store where the claim is granted.
  template <class T>
  bool claim(T* element, T expected, T desired, Place place = Place::current()) const {
    detail::report_load(*sink, element, sizeof(T), place);
    const bool granted = Plain::claim(element, expected, desired);
    if (granted) detail::report_store(*sink, element, sizeof(T), place);
    return granted;
  }

  /// One load, and one store where a bit was not set.
  template <class T>
  T fetch_or(T* element, T bits, Place place = Place::current()) const {
    detail::report_load(*sink, element, sizeof(T), place);
    const T old = Plain::fetch_or(element, bits);
    if ((old & bits) != bits) detail::report_store(*sink, element, sizeof(T), place);
    return old;
  }
};

/// `first`, whose next `count` elements are then loaded at once: by a vector instruction, a masked one or a
/// copy of bytes. Traced reports each of them.
template <class T>
[[nodiscard]] constexpr T* load_n(Plain, T* first, Index) {
  return first;
}
/// The same of elements that are then stored.
template <class T>
[[nodiscard]] constexpr T* store_n(Plain, T* first, Index) {
  return first;
}
/// The same under Traced.
template <class T, class Sink>
[[nodiscard, gnu::noinline]] T* load_n(Traced<Sink> access, T* first, Index count,
                                       Place place = Place::current()) {
  for (Index i = 0; i < count; ++i) detail::report_load(*access.sink, first + i, sizeof(T), place);
  return first;
}
/// The same under Traced.
template <class T, class Sink>
[[nodiscard, gnu::noinline]] T* store_n(Traced<Sink> access, T* first, Index count,
                                        Place place = Place::current()) {
  for (Index i = 0; i < count; ++i) detail::report_store(*access.sink, first + i, sizeof(T), place);
  return first;
}

/// Any sink: for a text that is compiled once, apart from the sinks. The sink must outlive it.
class AnySink {
 public:
  template <class Sink>
  requires(!std::is_same_v<Sink, AnySink>) explicit AnySink(Sink& sink)
      : sink_(&sink),
        load_([](void* to, const void* address, std::size_t bytes, Place place) {
          detail::report_load(*static_cast<Sink*>(to), address, bytes, place);
        }),
        store_([](void* to, const void* address, std::size_t bytes, Place place) {
          detail::report_store(*static_cast<Sink*>(to), address, bytes, place);
        }) {}

  using Report = void (*)(void* sink, const void* address, std::size_t bytes, Place);
  constexpr AnySink(Report load, Report store) : sink_(nullptr), load_(load), store_(store) {}

  // Out of line: a text has many accesses, and is compiled for several targets.
  [[gnu::noinline]] void load(const void* address, std::size_t bytes, Place place) {
    load_(sink_, address, bytes, place);
  }
  [[gnu::noinline]] void store(const void* address, std::size_t bytes, Place place) {
    store_(sink_, address, bytes, place);
  }

 private:
  void* sink_;
  Report load_, store_;
};

/// The policy for memory of a leaf's own, on the stack, that a trace does not show.
constexpr Plain unshown(Plain) { return {}; }
inline Traced<AnySink> unshown(Traced<AnySink>) {
  static constexpr auto ignore = [](void*, const void*, std::size_t, Place) {};
  static AnySink nowhere(ignore, ignore);
  return {&nowhere};
}

/// The policy under which a text that is compiled apart runs for `Access`: Plain, or Traced<AnySink>.
template <class Access>
struct CompiledApart {
  using Policy = Plain;
  explicit CompiledApart(Plain) {}
  Plain policy() { return {}; }
};
template <class Sink>
struct CompiledApart<Traced<Sink>> {
  using Policy = Traced<AnySink>;
  explicit CompiledApart(Traced<Sink> traced) : sink(*traced.sink) {}
  Policy policy() { return {&sink}; }
  AnySink sink;
};

/// What is compiled apart, under both policies.
template <template <class Access> class Text>
struct CompiledTexts {
  Text<Plain> plain;
  Text<Traced<AnySink>> traced;

  constexpr const Text<Plain>& under(Plain) const { return plain; }
  constexpr const Text<Traced<AnySink>>& under(Traced<AnySink>) const { return traced; }
};

}  // namespace tallcache
