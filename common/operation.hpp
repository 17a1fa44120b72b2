// Operation: a problem, with everything that does not depend on how it is solved: its sizes, its buffers, its
// seeded inputs, its check and its cost. There is one record for each problem and element type.
// operation_of<Op> makes it from a typed class.
//
// The typed class `Op` (see ops/matmul.hpp) has
//
//   name, element, what                       strings: "matmul", "double", the contract in one line
//   rate                                      the unit of its speed
//   dims, inputs                              arrays: its sizes, and the kinds of input data it can make
//   Args<Access>                              non-owning views plus scratch; with(access) changes the access
//   shape_of(args)                            the sizes of some arguments
//   views(args)                               its views, tied, in the order of buffers(); for a device
//   buffers(shape)                            its buffers, in order; throws Error when the bytes overflow
//   fill(shape, input, seed, buffers)         seeded inputs
//   bind(shape, buffers, scratch) -> Args<>   views onto the buffers
//   validate(args)                            throws Error on wrong sizes and overlap; reads no element
//   validate_values(args)                     optional: throws Error on elements out of range
//   check(shape, input, seed, args) -> Check  compares with a reference that no variant shares; with an
//                                             ErrorClass as a fifth argument where variants differ in theirs
//   cost(shape) -> Cost                       flops and minimum bytes
//   test_shapes(), bench_shapes()             the shapes at which every variant is tested and timed
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/element.hpp"
#include "common/error_class.hpp"
#include "common/named.hpp"
#include "common/view.hpp"

namespace tallcache {

enum class Role { input, output, inout };

struct BufferSpec {
  std::string_view name;
  Role role;
  std::size_t bytes;
  /// Outputs hold this byte everywhere before a run: Element's poison.
  unsigned char poison = 0xff;
};

/// One size of a problem. A size that is left out takes the value of the first one, or `default_value`.
struct DimSpec {
  static constexpr Index same_as_first = -1;
  std::string_view name;
  std::string_view what;
  Index default_value = same_as_first;
};

struct Cost {
  double flops = 0;
  double bytes = 0;  ///< the minimum traffic: every input read once, every output written once
  double keys = 0;   ///< the unit of a rate in millions: keys, calls, cells or edges
};

/// The unit of an operation's speed.
enum class Rate { gflop_per_s, gb_per_s, mkeys_per_s, mcalls_per_s, mcells_per_s, medges_per_s };

namespace detail {
struct RateName {
  std::string_view json, unit;
};
inline constexpr RateName rate_names[] = {{"gflop_per_s", "GFLOP/s"},   {"gb_per_s", "GB/s"},
                                          {"mkeys_per_s", "Mkeys/s"},   {"mcalls_per_s", "Mcalls/s"},
                                          {"mcells_per_s", "Mcells/s"}, {"medges_per_s", "Medges/s"}};
}  // namespace detail

constexpr std::string_view to_string(Rate rate) { return detail::rate_names[static_cast<int>(rate)].json; }
/// "GFLOP/s"
constexpr std::string_view unit_of(Rate rate) { return detail::rate_names[static_cast<int>(rate)].unit; }

/// The work of `cost` in the unit of `rate`: flops, bytes, or keys, calls, cells, edges.
constexpr double rated_work(Rate rate, const Cost& cost) {
  return rate == Rate::gflop_per_s ? cost.flops : rate == Rate::gb_per_s ? cost.bytes : cost.keys;
}

/// The speed of `cost` in `seconds`, in the unit of `rate`.
constexpr double per_second(Rate rate, const Cost& cost, double seconds) {
  return rated_work(rate, cost) / seconds * (rate <= Rate::gb_per_s ? 1e-9 : 1e-6);
}

/// The result of a check. When the output is wrong, where, and the value found there.
struct Check {
  bool ok = true;
  std::string where, expected, got;

  static Check wrong(std::string where, std::string expected, std::string got) {
    return {false, std::move(where), std::move(expected), std::move(got)};
  }
  explicit operator bool() const { return ok; }
  std::string message() const { return ok ? "ok" : where + ": expected " + expected + ", got " + got; }
};

/// Room for the bound arguments of any operation.
struct alignas(64) ArgsStorage {
  std::byte bytes[448];
};

struct Operation {
  std::string_view name, element, what;
  Rate rate;
  std::span<const DimSpec> dims;
  std::span<const std::string_view> inputs;  ///< the first is the one that is timed

  std::vector<BufferSpec> (*buffers)(const Shape&);
  void (*fill)(const Shape&, std::string_view input, std::uint64_t seed, std::span<std::byte* const>);
  void (*bind)(const Shape&, std::span<std::byte* const>, std::span<std::byte> scratch, ArgsStorage&);
  void (*validate)(const void* args);
  Check (*check)(const Shape&, std::string_view input, std::uint64_t seed, const void* args, ErrorClass);
  bool has_error_classes;  ///< check() has a bound for each
  Cost (*cost)(const Shape&);
  std::vector<Shape> (*test_shapes)();
  std::vector<Shape> (*bench_shapes)();
};

namespace detail {
template <class Op>
using ArgsOf = typename Op::template Args<Plain>;

template <class Op>
const ArgsOf<Op>& args_of(const void* args) {
  return *static_cast<const ArgsOf<Op>*>(args);
}

/// validate() and validate_values().
template <class Op>
void validate_all(const ArgsOf<Op>& args) {
  Op::validate(args);
  if constexpr (requires { Op::validate_values(args); }) Op::validate_values(args);
}

/// Whether the check of `Op` has a bound for each error class.
template <class Op>
concept HasErrorClasses = requires(const Shape& shape, std::string_view input, std::uint64_t seed,
                                   const ArgsOf<Op>& args, ErrorClass error_class) {
  Op::check(shape, input, seed, args, error_class);
};

template <class Op>
void bind(const Shape& shape, std::span<std::byte* const> buffers, std::span<std::byte> scratch,
          ArgsStorage& storage) {
  static_assert(sizeof(ArgsOf<Op>) <= sizeof(ArgsStorage) && std::is_trivially_destructible_v<ArgsOf<Op>>);
  new (storage.bytes) ArgsOf<Op>(Op::bind(shape, buffers, Scratch<>(scratch)));
}
}  // namespace detail

/// The record of `Op`. It is made once, in common/ops/: made in every variant's source, its checks and inputs
/// would take a third of the compilation. For an operation of your own see common/operation_record.hpp.
template <class Op>
struct OperationRecord {
  static const Operation record;
};

/// The record of the typed operation `Op`.
template <class Op>
inline constexpr const Operation& operation_of = OperationRecord<Op>::record;

/// "m=64,n=64,k=64": the sizes of a shape that differ from their defaults.
std::string to_string(const Operation& operation, const Shape& shape);

/// The inverse of to_string: "m=64,k=32" with the sizes left out filled in. Throws Error on an unknown name,
/// a value that is no integer or too large, or a negative size.
Shape parse_shape(const Operation& operation, std::string_view text);

/// `shape` with every size of `operation` present and checked; throws Error as parse_shape does.
Shape complete_shape(const Operation& operation, const Shape& shape);

}  // namespace tallcache
