// Sorts n uint32 keys, each in [0, range], in place.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/keys.hpp"
#include "common/operation.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/sort.hpp"

namespace tallcache {

/// CountingSort<false> whose output is its input. A variant may use scratch, but less than the keys
/// themselves take where these are many.
struct CountingSortInPlace {
  using Key = std::uint32_t;
  static constexpr std::string_view name = "counting_sort_in_place", element = Element<Key>::name;
  static constexpr std::string_view what = "n uint32 keys in [0, range], sorted in place";
  static constexpr Rate rate = Rate::mkeys_per_s;
  static constexpr std::span<const DimSpec> dims = CountingSort<false>::dims;
  static constexpr std::span<const std::string_view> inputs = key_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<Key, Access> keys;
    Key range = 0;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {keys.with(other), range, scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.keys); }

  static Shape shape_of(const Args<>& args) {
    return {{"n", args.keys.size}, {"range", static_cast<Index>(args.range)}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"keys", Role::inout, CountingSort<false>::buffers(s)[1].bytes}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<Key*>(buffers[0]), s["n"]}, static_cast<Key>(s["range"]), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_keys(bind(s, buffers, {}).keys, keys_of(s, input, seed));
  }

  static void validate(const Args<>& args) {
    Sort::validate({args.keys});
    if (args.keys.size > std::numeric_limits<Key>::max()) throw Error("keys: more than 2^32 - 1 of them");
  }

  /// Checks, beyond validate(), that no key is above the range.
  static void validate_values(const Args<>& args) {
    CountingSort<false>::validate_values(
        {.out = {}, .in = args.keys, .payload_out = {}, .payload_in = {}, .range = args.range});
  }

  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    return check_sorted(args.keys, keys_of(s, input, seed));
  }

  static Cost cost(const Shape& s) { return CountingSort<false>::cost(s); }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes = CountingSort<false>::test_shapes();
    shapes.push_back({{"n", 100003}, {"range", 0xffffffff}});
    return shapes;
  }
  static std::vector<Shape> bench_shapes() { return CountingSort<false>::bench_shapes(); }

 private:
  static Keys keys_of(const Shape& s, std::string_view input, std::uint64_t seed) {
    return {input, seed, static_cast<std::uint64_t>(s["n"]), static_cast<std::uint64_t>(s["range"])};
  }
};

}  // namespace tallcache
