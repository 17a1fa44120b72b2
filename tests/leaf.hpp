// What a leaf says under Traced beside what it does.
//
// Stored: two runs over memory of a pattern and of its complement; a byte that kept both is not written.
// Loaded at least: of each element that is named one bit is turned over, which changes what is stored.
// Loaded at most: of each element that is not named it changes nothing, and beside the memory there is none.
// By the byte, on the target that valgrind has: leaf_lackey_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/traced.hpp"

namespace tallcache::test {

/// Memory of a leaf, in elements of `element` bytes.
struct Region {
  std::size_t element;
  std::vector<std::byte> content;
  /// The elements that the leaf may load for what it does not store.
  std::function<bool(std::size_t element)> idle = [](std::size_t) { return false; };
  int bit = -1;  ///< of an element, which is turned over; -1: the highest one
};

using At = std::vector<std::byte*>;  ///< of each region

/// A text with both policies.
struct Leaf {
  std::vector<Region> regions;
  std::function<void(const At&, Plain)> plain;
  std::function<void(const At&, Traced<AnySink>)> traced;
};

/// The regions in `stored` are those that the leaf stores to.
void expect_exact(const Leaf& leaf, const std::vector<std::size_t>& stored);

/// For a run under valgrind's lackey, which prints every access: prints the bytes that the traced text names
/// and the address of a byte, and runs the plain text between two stores to that byte.
void run_observed(const Leaf& leaf);

}  // namespace tallcache::test
