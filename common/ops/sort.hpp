// Sorts n keys, or records with a key, in place by comparisons.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/keys.hpp"
#include "common/operation.hpp"

namespace tallcache {

/// T is a type of keys, or KeyAndPosition, which is sorted stably.
template <class T>
struct SortOf {
  using Key = T;
  static constexpr bool is_record = std::is_same_v<T, KeyAndPosition>;
  static constexpr std::string_view name = "sort", element = Element<Key>::name;
  static constexpr std::string_view what =
      is_record ? "n records of 16 bytes, sorted stably in place by key" : "n keys, sorted in place";
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
    fill_keys(bind(s, buffers, {}).keys, values_of(s, input, seed));
  }

  static void validate(const Args<>& args) {
    if (args.keys.size < 0) throw Error("keys: negative size " + std::to_string(args.keys.size));
    if (args.keys.size && !args.keys.data) throw Error("keys: no data");
  }

  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const auto value_at = values_of(s, input, seed);
    if constexpr (is_record)
      return first_wrong(args.keys.size, part_of_keys, [&](Index begin, Index end) {
        return check_records(args.keys, value_at, begin, end);
      });
    else
      return check_sorted(args.keys, value_at);
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
  /// Values in the order of uint32 keys, and as different: 64-bit keys differ in both halves, doubles are of
  /// both signs.
  static auto values_of(const Shape& s, std::string_view input, std::uint64_t seed) {
    const Keys keys(input, seed, static_cast<std::uint64_t>(s["n"]),
                    std::numeric_limits<std::uint32_t>::max());
    return [keys](std::uint64_t i) -> Key {
      const std::uint64_t key = keys(i), wide = key << 32 | key;
      if constexpr (is_record)
        return {wide, i};
      else if constexpr (std::is_floating_point_v<Key>)
        return static_cast<Key>(key) - 0x1p31;
      else
        return static_cast<Key>(wide);
    };
  }

  /// Each record says where it was: order, keys and stability are checked exactly, without sorting.
  template <class ValueAt>
  static Check check_records(VectorView<const Key> records, const ValueAt& value_at, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Key record = records[i];
      if (i && record < records[i - 1]) return out_of_order(records, i);
      if (record.position >= static_cast<std::uint64_t>(records.size) ||
          record.key != value_at(record.position).key)
        return Check::wrong("record " + std::to_string(i), "one of the input", digits(record));
      if (i && !(records[i - 1] < record) && record.position <= records[i - 1].position)
        return Check::wrong("record " + std::to_string(i),
                            "later in the input than the one before it (stability)", digits(record));
    }
    return {};
  }
};

using Sort = SortOf<std::uint32_t>;

}  // namespace tallcache
