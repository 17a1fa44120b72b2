// B = A, element by element: the minimum traffic of any transposition.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/ops/copy.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::copy {

template <class Fork, class B, class A>
void copy_rows(Fork& fork, B b, A a) {
  fork.loop(0, a.rows, 1, [a, b](Index i) {
    for (Index j = 0; j < a.cols; ++j) b(i, j) = a(i, j);
  });
}

struct rows {
  static constexpr std::string_view idea = "element by element along the rows";
  static constexpr std::string_view source = "M16: simple copy, on the CPU";
  using operations = OperationList<Copy<float>, Copy<double>, Copy<std::int32_t>>;
  static constexpr bool parallel = true;

  /// M5: Cache complexity of an array scanning, of both arrays.
  template <class T>
  static cache::Prediction predicted_misses(Copy<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return {2.0 * static_cast<double>(shape["m"]) * static_cast<double>(shape["n"]) / ideal.L, "2 mn/L"};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    copy_rows(fork, args.b, args.a);
  }
};

}  // namespace tallcache::cpu::copy
