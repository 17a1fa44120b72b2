// Counts the work of an algorithm's text: a sink for its memory accesses, and a number for its operations.
#pragma once

#include <cstddef>
#include <unordered_set>

#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache {

/// Counts all accesses, and the distinct elements.
struct CountingSink {
  std::size_t accesses = 0;
  std::unordered_set<const void*> elements;

  void load(const void* address, std::size_t) { touch(address); }
  void store(const void* address, std::size_t) { touch(address); }

 private:
  void touch(const void* address) {
    ++accesses;
    elements.insert(address);
  }
};

/// A number that counts the multiplications and additions done with it, on this thread.
struct CountedNumber {
  double value = 0;
  static inline thread_local std::size_t operations = 0;

  friend CountedNumber operator*(CountedNumber a, CountedNumber b) {
    return ++operations, CountedNumber{a.value * b.value};
  }
  friend CountedNumber operator+(CountedNumber a, CountedNumber b) {
    return ++operations, CountedNumber{a.value + b.value};
  }
};

}  // namespace tallcache
