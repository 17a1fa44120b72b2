// Sorts n uint32 keys in place, by comparisons.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/keys.hpp"
#include "common/operation.hpp"

namespace tallcache {

struct Sort {
  using Key = std::uint32_t;
  static constexpr std::string_view name = "sort", element = Element<Key>::name;
  static constexpr std::string_view what = "n uint32 keys, sorted in place";
  static constexpr Rate rate = Rate::mkeys_per_s;
  static constexpr DimSpec dims[] = {{"n", "number of keys"}};
  static constexpr std::span<const std::string_view> inputs = key_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<Key, Access> keys;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {keys.with(other), scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"n", args.keys.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"keys", Role::inout, checked_product(s["n"], sizeof(Key), "keys")}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<Key*>(buffers[0]), s["n"]}, scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_keys(bind(s, buffers, {}).keys, keys_of(s, input, seed));
  }

  static void validate(const Args<>& args) {
    if (args.keys.size < 0) throw Error("keys: negative size " + std::to_string(args.keys.size));
    if (args.keys.size && !args.keys.data) throw Error("keys: no data");
  }

  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    return check_sorted(args.keys, keys_of(s, input, seed));
  }

  static Cost cost(const Shape& s) {
    const double n = static_cast<double>(s["n"]);
    return {.bytes = 2 * sizeof(Key) * n, .keys = n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0,  1,  2,   3,   15,   16,   17,   31,   32,   33,    63,
                    64, 65, 100, 127, 1000, 1021, 4095, 4096, 4097, 32771, 100003})
      shapes.push_back({{"n", n}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {100000, 1000000, 10000000}) shapes.push_back({{"n", n}});
    return shapes;
  }

 private:
  static Keys keys_of(const Shape& s, std::string_view input, std::uint64_t seed) {
    return {input, seed, static_cast<std::uint64_t>(s["n"]), std::numeric_limits<Key>::max()};
  }
};

}  // namespace tallcache
