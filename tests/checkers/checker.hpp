// Sabotage: a variant that is wrong in one way is rejected by the verification that the other tests, the
// benches and the program rely on, and its honest twin is not.
//
// The honest variant calls solve(op, args), the operation by its definition, which the operation's file
// declares in the operation's namespace: there it is found by its first argument.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "common/variant_text.hpp"
#include "tests/support.hpp"

namespace tallcache::test {

// What an operation writes and reads first.
const auto& output(const auto& args) {
  if constexpr (requires { args.out; })
    return args.out;
  else if constexpr (requires { args.c; })
    return args.c;
  else if constexpr (requires { args.x.ld; })
    return args.x;
  else if constexpr (requires { args.b; })
    return args.b;
  else if constexpr (requires { args.keys; })
    return args.keys;
  else
    return args.a;
}
const auto& input(const auto& args) {
  if constexpr (requires { args.in; })
    return args.in;
  else if constexpr (requires { args.target; })
    return args.target;
  else
    return args.a;
}
template <class Op>
using OutputValue =
    typename std::remove_cvref_t<decltype(output(std::declval<detail::ArgsOf<Op>>()))>::value_type;
inline Index extent(const auto& view) {
  if constexpr (requires { view.ld; })
    return view.rows * view.ld;
  else
    return view.size;
}

struct honest {
  static void run(auto op, const auto& args) { solve(op, args); }
};
struct no_op {
  static void run(auto, const auto&) {}
};
struct all_zero {
  static void run(auto, const auto& args) {
    const auto& out = output(args);
    if constexpr (requires { out.ld; })
      zero(out);
    else
      for (Index i = 0; i < out.size; ++i) out[i] = {};
  }
};
struct changes_input {
  static constexpr std::string_view where = "input";
  static void run(auto op, const auto& args) {
    solve(op, args);
    using Value = typename std::remove_cvref_t<decltype(input(args))>::value_type;
    auto* data = const_cast<Value*>(input(args).data);
    data[0] = static_cast<Value>(data[0] + Value{1});
  }
};
// What is there may have no default.
inline void write_zero(auto* at) { std::memset(static_cast<void*>(at), 0, sizeof *at); }
struct writes_before {
  static constexpr std::string_view where = "around";
  static void run(auto op, const auto& args) {
    solve(op, args);
    write_zero(output(args).data - 1);
  }
};
struct writes_behind {
  static constexpr std::string_view where = "around";
  static void run(auto op, const auto& args) {
    solve(op, args);
    write_zero(output(args).data + extent(output(args)));
  }
};
// Right once, and never again.
struct stale {
  static void run(auto op, const auto& args) {
    static bool first = true;
    if (first) solve(op, args);
    first = !first;
  }
};

template <class Op, class Damage>
struct sabotaged {
  static constexpr std::string_view idea = "wrong in one way", source = "this test";
  using operations = OperationList<Op>;
  // Not over memory views: a sabotage does what it likes with the plain ones.
  static void call(const Launch&, const auto& args, const Params&) { Damage::run(Op{}, args); }
};

class Checker : public testing::Test {
 protected:
  template <class Op, class Damage>
  Check verdict(const Shape& shape, std::string_view kind, int runs = 1) {
    static constexpr auto records = variant_records<sabotaged<Op, Damage>>("sabotaged", "cpu", false);
    Workspace workspace({&operation_of<Op>, shape, kind}, *executor);
    for (int i = 1; i < runs; ++i) EXPECT_TRUE(workspace.verify({&records[0]}));
    return workspace.verify({&records[0]});
  }

  template <class Op, class... Damages>
  void rejected(const std::vector<Shape>& shapes, std::string_view kind) {
    for (const Shape& shape : shapes) {
      const auto where = to_string(operation_of<Op>, shape) + ", " + std::string(kind);
      const Check good = verdict<Op, honest>(shape, kind);
      EXPECT_TRUE(good) << Op::element << " " << where << ": " << good.message();
      (expect_wrong<Op, Damages>(verdict<Op, Damages>(shape, kind), where), ...);
      expect_wrong<Op, stale>(verdict<Op, stale>(shape, kind, 2), where);
    }
  }

  template <class Op, class Damage>
  void expect_wrong(const Check& check, const std::string& where) {
    EXPECT_FALSE(check) << typeid(Damage).name() << " passes as " << Op::name << " " << Op::element << " at "
                        << where;
    EXPECT_EQ(check.message().find('\n'), std::string::npos);
    if constexpr (requires { Damage::where; }) {
      EXPECT_NE(check.where.find(Damage::where), std::string::npos)
          << typeid(Damage).name() << ": " << check.message();
    }
  }

  const std::unique_ptr<Executor> executor = make_executor("cpu");
};

}  // namespace tallcache::test
