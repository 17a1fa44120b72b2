// Sorts n uint32 keys, each in [0, range]; keys only, or stable with a uint32 payload.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/in_parts.hpp"
#include "common/keys.hpp"
#include "common/operation.hpp"

namespace tallcache {

/// With `with_payload` = false only keys are sorted, and equal keys cannot be told apart. Otherwise the sort
/// is stable.
template <bool with_payload>
struct CountingSort {
  using Key = std::uint32_t;
  static constexpr std::string_view name = "counting_sort";
  static constexpr std::string_view element = with_payload ? Element<Uint32Pair>::name : Element<Key>::name;
  static constexpr std::string_view what =
      with_payload ? "n uint32 keys in [0, range] with a uint32 payload each, sorted stably"
                   : "n uint32 keys in [0, range], sorted";
  static constexpr Rate rate = Rate::mkeys_per_s;
  static constexpr DimSpec dims[] = {{"n", "number of keys"}, {"range", "the largest key allowed"}};
  static constexpr std::span<const std::string_view> inputs = key_inputs;

  template <class Access = Plain>
  struct Args {
    static constexpr bool has_payload = with_payload;
    VectorView<Key, Access> out;
    VectorView<const Key, Access> in;
    VectorView<Key, Access> payload_out;  ///< empty when keys are sorted alone
    VectorView<const Key, Access> payload_in;
    Key range = 0;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other),        in.with(other), payload_out.with(other),
              payload_in.with(other), range,          scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) {
    if constexpr (with_payload)
      return std::tie(args.out, args.in, args.payload_out, args.payload_in);
    else
      return std::tie(args.out, args.in);
  }

  static Shape shape_of(const Args<>& args) {
    return {{"n", args.in.size}, {"range", static_cast<Index>(args.range)}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    if (s["n"] > std::numeric_limits<Key>::max() || s["range"] > std::numeric_limits<Key>::max())
      throw Error("counting_sort: n and range are at most " +
                  std::to_string(std::numeric_limits<Key>::max()));
    const std::size_t bytes = checked_product(s["n"], sizeof(Key), "keys");
    std::vector<BufferSpec> specs{{"sorted keys", Role::output, bytes, Element<Key>::poison},
                                  {"keys", Role::input, bytes}};
    if (with_payload) {
      specs.push_back({"sorted payload", Role::output, bytes, Element<Key>::poison});
      specs.push_back({"payload", Role::input, bytes});
    }
    return specs;
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const auto vector = [&](std::size_t b) {
      return VectorView<Key>{reinterpret_cast<Key*>(buffers[b]), s["n"]};
    };
    Args<> args{.out = vector(0), .in = vector(1), .payload_out = {}, .payload_in = {}};
    args.range = static_cast<Key>(s["range"]);
    args.scratch = scratch;
    if (with_payload) {
      args.payload_out = vector(2);
      args.payload_in = vector(3);
    }
    return args;
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Index n = s["n"];
    fill_keys(VectorView<Key>{reinterpret_cast<Key*>(buffers[1]), n}, keys_of(s, input, seed));
    if constexpr (with_payload)
      in_parts(n, part_of_keys, [payload = reinterpret_cast<Key*>(buffers[3])](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) payload[i] = payload_at(i);
      });
  }

  static void validate(const Args<>& args) {
    validate_vector(args.in, args.in.size, "keys");
    validate_vector(args.out, args.in.size, "sorted keys");
    validate_disjoint(args.out, "sorted keys", args.in, "keys");
    if (with_payload) {
      validate_vector(args.payload_in, args.in.size, "payload");
      validate_vector(args.payload_out, args.in.size, "sorted payload");
      validate_disjoint(args.payload_out, "sorted payload", args.payload_in, "payload");
      validate_disjoint(args.payload_out, "sorted payload", args.in, "keys");
      validate_disjoint(args.payload_out, "sorted payload", args.out, "sorted keys");
      validate_disjoint(args.out, "sorted keys", args.payload_in, "payload");
    }
  }

  /// Checks, beyond validate(), that no key is above the range.
  static void validate_values(const Args<>& args) {
    for (Index i = 0; i < args.in.size; ++i)
      if (args.in[i] > args.range)
        throw Error("counting_sort: key " + std::to_string(i) + " is " + std::to_string(args.in[i]) +
                    ", above the range " + std::to_string(args.range));
  }

  /// Keys must be in order and the same multiset as the input, by two 64-bit sums. For pairs each payload is
  /// the position of its key in the input, so order, keys and stability are checked exactly, without sorting.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const Keys key_at = keys_of(s, input, seed);
    if constexpr (with_payload)
      return first_wrong(s["n"], part_of_keys,
                         [&](Index begin, Index end) { return check_pairs(args, key_at, begin, end); });
    else
      return check_sorted(args.out, key_at);
  }

  static Cost cost(const Shape& s) {
    return {.bytes = (with_payload ? 16.0 : 8.0) * s["n"], .keys = static_cast<double>(s["n"])};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index n, Index range) { shapes.push_back({{"n", n}, {"range", range}}); };
    for (Index n : {0, 1, 2, 3, 63, 64, 65, 127, 1000, 1021, 4096, 4097}) add(n, n);
    add(1000, 0), add(1000, 1), add(1000, 2), add(10, 100000), add(100000, 10), add(50000, 65535),
        add(777, 65536);
    add(65537, 1 << 20), add(200003, 200003), add(1, 1 << 20), add(0, 5);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {100000, 1000000, 10000000}) shapes.push_back({{"n", n}, {"range", n}});
    return shapes;
  }

 private:
  // An odd multiplier permutes the 32-bit words. Its inverse undoes the permutation.
  static constexpr std::uint32_t multiplier = 2654435761u, inverse = 244002641u;
  static_assert(static_cast<std::uint32_t>(multiplier * inverse) == 1);
  static Key payload_at(Index i) { return static_cast<Key>(i) * multiplier; }
  static Index origin_of(Key payload) { return static_cast<Key>(payload * inverse); }

  static Keys keys_of(const Shape& s, std::string_view input, std::uint64_t seed) {
    return {input, seed, static_cast<std::uint64_t>(s["n"]), static_cast<std::uint64_t>(s["range"])};
  }

  static Check check_pairs(const Args<>& args, const Keys& key_at, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (i && args.out[i] < args.out[i - 1]) return out_of_order(args.out, i);
      const Index from = origin_of(args.payload_out[i]);
      if (from >= args.out.size)
        return Check::wrong("payload " + std::to_string(i), "one of the input", digits(args.payload_out[i]));
      const Key key = key_at(from);
      if (args.out[i] != key)
        return Check::wrong("key " + std::to_string(i), digits(key) + ", as its payload says",
                            digits(args.out[i]));
      if (i && args.out[i] == args.out[i - 1] && from <= origin_of(args.payload_out[i - 1]))
        return Check::wrong("payload " + std::to_string(i),
                            "later in the input than the one before it (stability)",
                            "position " + std::to_string(from));
    }
    return {};
  }

  template <class View>
  static void validate_vector(const View& v, Index size, const char* what_it_is) {
    if (v.size < 0) throw Error(std::string(what_it_is) + ": negative size " + std::to_string(v.size));
    if (v.size > std::numeric_limits<Key>::max())
      throw Error(std::string(what_it_is) + ": more than 2^32 - 1 of them");
    if (v.size != size)
      throw Error(std::string(what_it_is) + ": " + std::to_string(v.size) + " of them, not " +
                  std::to_string(size));
    if (v.size && !v.data) throw Error(std::string(what_it_is) + ": no data");
  }
};

}  // namespace tallcache
