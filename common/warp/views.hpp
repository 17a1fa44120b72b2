// The counted access policy: views that report their accesses, with their place in the text, to a
// warp's recorder.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/placed_view.hpp"
#include "common/warp/kernel.hpp"
#include "common/warp/recorder.hpp"

namespace tallcache {
// A text calls one that the types of its arguments find. Where no template has the name, clang takes the <
// behind it for a comparison.
template <int n>
void vector_at() = delete;
}  // namespace tallcache

namespace tallcache::warp {

/// The old value of an atomic. A text that reads it needs it, which costs more in shared memory. It must be
/// read before the next barrier.
template <class T>
class OldValue {
 public:
  OldValue(T value, Recorder* recorder, std::size_t request)
      : value_(value), recorder_(recorder), request_(request) {}
  operator T() const {
    recorder_->need_old_values(request_);
    return value_;
  }

 private:
  T value_;
  Recorder* recorder_;
  std::size_t request_;
};

/// Stands for T& in a kernel: reading it is one access of its lane, assigning another.
template <class T>
class Reference {
 public:
  using value_type = std::remove_const_t<T>;
  using Memory = std::conditional_t<std::is_const_v<T>, const void, void>;

  Reference(Memory* memory, Recorder* recorder, std::uint64_t address, cache::Space space, Place where)
      : memory_(memory), recorder_(recorder), address_(address), where_(where), space_(space) {}
  Reference(const Reference&) = default;

  operator value_type() const {
    record(cache::AccessKind::load);
    value_type value;
    std::memcpy(&value, memory_, sizeof value);
    return value;
  }
  const Reference& operator=(value_type value) const {
    record(cache::AccessKind::store);
    std::memcpy(memory_, &value, sizeof value);
    return *this;
  }
  const Reference& operator=(const Reference& other) const { return *this = static_cast<value_type>(other); }
  const Reference& operator+=(value_type value) const {
    return *this = static_cast<value_type>(static_cast<value_type>(*this) + value);
  }
  /// The lanes of a block run one after another, so this is all that it takes.
  OldValue<value_type> atomic_add(value_type value) const {
    record(cache::AccessKind::atomic);
    value_type& element = *static_cast<value_type*>(memory_);
    const value_type old = element;
    element = static_cast<value_type>(old + value);
    return {old, recorder_, recorder_->last_request()};
  }
  /// Counts a copy of all bytes to `to` in shared memory, of which global memory gives some or none, and
  /// returns where they lie.
  const void* copied(std::uint64_t to, bool some) const {
    if (some) record(cache::AccessKind::copy);
    recorder_->access(where_, cache::Space::shared, cache::AccessKind::copy, to, sizeof(T));
    return memory_;
  }
  std::uint64_t address() const { return address_; }
  /// What lies `elements` elements behind, as a U.
  template <class U>
  Reference<U> behind(Index elements) const {
    constexpr Index bytes = sizeof(T);
    auto* const memory =
        static_cast<std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>*>(memory_);
    return {memory + elements * bytes, recorder_, address_ + static_cast<std::uint64_t>(elements * bytes),
            space_, where_};
  }

 private:
  void record(cache::AccessKind kind) const { recorder_->access(where_, space_, kind, address_, sizeof(T)); }

  // Not of type T: where a text takes a vector that is not aligned, the recorder names it.
  Memory* memory_;
  Recorder* recorder_;
  std::uint64_t address_;
  Place where_;
  cache::Space space_;
};

template <int n, class T>
auto vector_at(const Reference<T>& element) {
  using Elements = Vector<std::remove_const_t<T>, n>;
  return element.template behind<std::conditional_t<std::is_const_v<T>, const Elements, Elements>>(0);
}
template <class T>
Reference<T> element_at(const Reference<T>& element, Index e) {
  return element.template behind<T>(e);
}

/// Arrays of global memory: an element's address on the machine is its own plus `offset`.
struct Counted {
  Recorder* recorder = nullptr;
  std::uint64_t offset = 0;

  template <class T>
  Reference<T> at(T* element, Place where) const {
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
    return {elements_ + s.index, recorder_, address_ + s.index * sizeof(T), cache::Space::shared, s.place};
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
