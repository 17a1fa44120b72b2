// Sorts n keys, or records with a key, in place by comparisons.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "common/keys.hpp"
#include "common/operation.hpp"

namespace tallcache {

/// T is a type of keys, or of records, which are sorted stably: KeyAndPosition, MoveOnly, or StringPointer,
/// whose strings are 20 digits at even distances in a second buffer.
template <class T>
struct SortOf {
  using Key = T;
  static constexpr bool is_string = std::is_same_v<T, StringPointer>,
                        is_record = is_string || requires(const T&record) {
    record.position;
  };
  static constexpr std::string_view name = "sort", element = Element<Key>::name;
  static constexpr std::string_view what =
      is_string   ? "n pointers to strings, sorted stably in place by these"
      : is_record ? "n records of 16 bytes, sorted stably in place by key"
                  : "n keys, sorted in place";
  static constexpr Rate rate = Rate::mkeys_per_s;
  static constexpr DimSpec dims[] = {{"n", "number of keys"}};
  static constexpr std::span<const std::string_view> inputs = key_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<Key, Access> keys;
    Scratch<Access> scratch{};
    VectorView<const char> texts{};  ///< text_bytes for each string

    template <class Other>
    Args<Other> with(Other other) const {
      return {keys.with(other), scratch.with(other), texts};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"n", args.keys.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    std::vector<BufferSpec> specs{{"keys", Role::inout, checked_product(s["n"], sizeof(Key), "keys")}};
    if (is_string) specs.push_back({"texts", Role::input, checked_product(s["n"], text_bytes, "texts")});
    return specs;
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    Args<> args{{reinterpret_cast<Key*>(buffers[0]), s["n"]}, scratch};
    if (is_string) args.texts = {reinterpret_cast<const char*>(buffers[1]), text_bytes * s["n"]};
    return args;
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const auto value_at = values_of(s, input, seed);
    if constexpr (is_string) {
      char* const texts = reinterpret_cast<char*>(buffers[1]);
      fill_keys(bind(s, buffers, {}).keys, [=](std::uint64_t i) {
        char* const text = texts + static_cast<std::uint64_t>(text_bytes) * i;
        write_digits(value_at(i), text);
        return StringPointer{text};
      });
    } else {
      fill_keys(bind(s, buffers, {}).keys, value_at);
    }
  }

  static void validate(const Args<>& args) {
    if (args.keys.size < 0) throw Error("keys: negative size " + std::to_string(args.keys.size));
    if (args.keys.size && !args.keys.data) throw Error("keys: no data");
  }

  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const auto value_at = values_of(s, input, seed);
    if constexpr (is_record)
      return first_wrong(args.keys.size, part_of_keys,
                         [&](Index begin, Index end) { return check_records(args, value_at, begin, end); });
    else
      return check_sorted(args.keys, value_at);
  }

  static Cost cost(const Shape& s) {
    const double n = static_cast<double>(s["n"]);
    return {.bytes = (2 * sizeof(Key) + (is_string ? text_bytes : 0)) * n, .keys = n};
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
  static constexpr Index text_digits = 20, text_bytes = 24;

  /// As many digits as the largest 64-bit key has, and a zero behind them.
  static void write_digits(std::uint64_t key, char* text) {
    std::fill_n(text + text_digits, text_bytes - text_digits, '\0');
    for (Index i = text_digits; i-- > 0; key /= 10) text[i] = static_cast<char>('0' + key % 10);
  }

  /// Values in the order of uint32 keys, and as different: 64-bit keys differ in both halves, doubles are of
  /// both signs.
  static auto values_of(const Shape& s, std::string_view input, std::uint64_t seed) {
    const Keys keys(input, seed, static_cast<std::uint64_t>(s["n"]),
                    std::numeric_limits<std::uint32_t>::max());
    return [keys](std::uint64_t i) -> std::conditional_t<is_string, std::uint64_t, Key> {
      const std::uint64_t key = keys(i), wide = key << 32 | key;
      if constexpr (is_record && !is_string)
        return {wide, i};
      else if constexpr (std::is_floating_point_v<Key>)
        return static_cast<Key>(key) - 0x1p31;
      else
        return static_cast<std::conditional_t<is_string, std::uint64_t, Key>>(wide);
    };
  }

  /// Where a record was in the input.
  static std::uint64_t position_of(const Args<>& args, const Key& record) {
    if constexpr (is_string)
      return (reinterpret_cast<std::uintptr_t>(record.text) -
              reinterpret_cast<std::uintptr_t>(args.texts.data)) /
             text_bytes;
    else
      return record.position;
  }
  template <class ValueAt>
  static bool is_of_input(const Args<>& args, const ValueAt& value_at, const Key& record) {
    const std::uint64_t position = position_of(args, record);
    if (position >= static_cast<std::uint64_t>(args.keys.size)) return false;
    if constexpr (is_string)
      return record.text == args.texts.data + static_cast<std::uint64_t>(text_bytes) * position;
    else
      return record.key == value_at(position).key;
  }

  /// Each record says where it was: order, keys and stability are checked exactly, without sorting.
  template <class ValueAt>
  static Check check_records(const Args<>& args, const ValueAt& value_at, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Key& record = args.keys[i];
      if (!is_of_input(args, value_at, record))
        return Check::wrong("record " + std::to_string(i), "one of the input", digits(record));
      if (i == 0 || !is_of_input(args, value_at, args.keys[i - 1])) continue;
      const Key& before = args.keys[i - 1];
      if (record < before) return out_of_order(args.keys, i);
      if (!(before < record) && position_of(args, record) <= position_of(args, before))
        return Check::wrong("record " + std::to_string(i),
                            "later in the input than the one before it (stability)", digits(record));
    }
    return {};
  }
};

/// By key, and then by position: by this order a sort that is not stable has the result of a stable one.
struct ByKeyAndPosition {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a < b || (!(b < a) && a.position < b.position);
  }
  bool operator()(StringPointer a, StringPointer b) const {
    const int order = std::strcmp(a.text, b.text);
    return order < 0 || (order == 0 && a.text < b.text);
  }
};
template <class T>
using StableOrder = std::conditional_t<SortOf<T>::is_record, ByKeyAndPosition, std::less<>>;

using Sort = SortOf<std::uint32_t>;

}  // namespace tallcache
