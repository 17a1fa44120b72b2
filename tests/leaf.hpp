// What a leaf says under Traced beside what it does.
//
// Stored: two runs over memory of a pattern and of its complement; a byte that kept both is not written.
// Loaded at least: of each element that is named one bit is turned over, which changes what is stored.
// Loaded at most: of each element that is not named it changes nothing, and beside the memory there is none.
// By the byte and in turn, on the target that valgrind has: leaf_lackey_test.cpp.
#pragma once

#include <array>
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
  /// What is stored may be what was there, as by a minimum or a union.
  bool keeps = false;
  /// Whether two elements are equal: a compiler may round a product and a sum together in one of the texts.
  std::function<bool(const std::byte* a, const std::byte* b)> equal;
};

inline constexpr std::size_t most_regions = 12;
using At = std::array<std::byte*, most_regions>;  ///< of each region

/// A text with both policies.
struct Leaf {
  std::vector<Region> regions;
  std::function<void(const At&, Plain)> plain;
  std::function<void(const At&, Traced<AnySink>)> traced;
  /// Of the leaf's private buffers, which are on the stack.
  std::size_t private_bytes = 0;
};

/// The regions in `stored` are those that the leaf stores to.
void expect_exact(const Leaf& leaf, const std::vector<std::size_t>& stored);

/// What an observer of both texts finds, in bytes.
struct Findings {
  int not_named = 0;   ///< the plain text accesses them
  int not_loaded = 0;  ///< by the plain text, while the traced one says so
  int not_stored = 0;
  int out_of_turn = 0;  ///< named where the traced text does not access them, or accessed where it names none
  int elsewhere = 0;    ///< the plain text stores to them, beside the regions and the stack
  friend bool operator==(const Findings&, const Findings&) = default;
};

/// For a run under valgrind's lackey, which prints every access: runs both texts, each between two stores to
/// a byte whose address is printed. The traced one stores to another byte for each that it names.
void run_observed(const Leaf& leaf, const Findings& expected = {});

}  // namespace tallcache::test
