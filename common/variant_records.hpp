// The records of a variant class: the types of its arguments are erased here and nowhere else. A variant with
// `call` needs no more than this header; one with `run`, whose text is executed under fork and access
// policies, needs common/variant_text.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"

namespace tallcache {

namespace detail {

inline constexpr PhaseSpec whole[] = {{"", true}};

template <class V>
constexpr std::span<const PhaseSpec> phases_of() {
  if constexpr (requires { V::phases; })
    return V::phases;
  else
    return whole;
}

template <class V>
constexpr std::span<const ParamSpec> params_of() {
  if constexpr (requires { V::params; })
    return V::params;
  else
    return {};
}

template <class V>
constexpr bool is_parallel() {
  if constexpr (requires { V::parallel; })
    return V::parallel;
  else
    return false;
}

/// The hint of V for work of such a cost, in nanoseconds; 0 where it has none.
template <class V, class Op>
constexpr double hint_ns(const Cost& cost) {
  if constexpr (requires { V::ns_per_byte; })
    return V::ns_per_byte * cost.bytes;
  else if constexpr (requires { V::ns_per_unit; })
    return V::ns_per_unit * rated_work(Op::rate, cost);
  else if constexpr (requires { V::template ns_per_unit<Op>; })
    return V::template ns_per_unit<Op> * rated_work(Op::rate, cost);
  else
    return 0;
}

template <class V>
constexpr Pages scratch_pages_of() {
  if constexpr (requires { V::scratch_pages; })
    return V::scratch_pages;
  else
    return Pages::ordinary;
}

template <class V, class Op>
constexpr ErrorClass error_class_of() {
  if constexpr (requires { V::error_class; }) {
    static_assert(HasErrorClasses<Op>, "the operation's check knows one bound alone");
    return Element<typename Op::Sum>::is_exact ? ErrorClass::standard : V::error_class;
  } else {
    return ErrorClass::standard;
  }
}

// No policy sees what a variant with `call` accesses.
template <class V, class Op>
concept Calling = requires(const Launch launch, const ArgsOf<Op> args, const Params params) {
  V::call(launch, args, params);
}
|| requires(const Launch launch, const ArgsOf<Op> args, const Params params) {
  V::template call<0>(launch, args, params);
};

/// How the entries of a variant with `call` are made.
template <class V, class Op>
struct CallEntries {
  static constexpr TraceEntry trace = nullptr;
  static constexpr ProfileEntry profile = nullptr;

  template <std::size_t phase>
  static void enter(const void* erased, const Params& params, const Launch& launch) {
    const auto& args = args_of<Op>(erased);
    if constexpr (requires { V::call(launch, args, params); })
      V::call(launch, args, params);
    else
      V::template call<phase>(launch, args, params);
  }
};

/// How the entries of a variant with `run` are made: common/variant_text.hpp.
template <class V, class Op>
struct TextEntries;

template <class V, class Op>
using EntriesOf = std::conditional_t<Calling<V, Op>, CallEntries<V, Op>, TextEntries<V, Op>>;

template <class V, class Op>
inline constexpr auto entries_of = []<std::size_t... phase>(std::index_sequence<phase...>) {
  return std::array<Entry, sizeof...(phase)>{&EntriesOf<V, Op>::template enter<phase>...};
}
(std::make_index_sequence<phases_of<V>().size()>{});

template <class V, class Op>
std::size_t scratch_of(const Shape& shape, const Params& params, [[maybe_unused]] Index width) {
  if constexpr (requires { V::scratch(Op{}, shape, params, width); })
    return V::scratch(Op{}, shape, params, width);
  else if constexpr (requires { V::scratch(Op{}, shape, params); })
    return V::scratch(Op{}, shape, params);
  else
    return 0;
}

template <class V>
bool supports(const Shape& shape) {
  if constexpr (requires { V::supports(shape); })
    return V::supports(shape);
  else
    return true;
}

template <class V>
std::string unavailable() {
  if constexpr (requires { V::unavailable(); })
    return V::unavailable();
  else
    return {};
}

template <class V>
constexpr std::string_view uses_of() {
  if constexpr (requires { V::uses; })
    return V::uses;
  else
    return {};
}

template <class V>
void prepare_peer([[maybe_unused]] const Shape& shape, [[maybe_unused]] int threads,
                  [[maybe_unused]] Planning planning) {
  if constexpr (requires { V::prepare(shape, threads, planning); })
    V::prepare(shape, threads, planning);
  else
    V::prepare();
}

template <class V>
constexpr auto prepare_of() {
  if constexpr (requires { &V::prepare; })
    return &prepare_peer<V>;
  else
    return nullptr;
}

template <class V>
std::string runs_as([[maybe_unused]] const Shape& shape, [[maybe_unused]] int threads) {
  if constexpr (requires { V::runs_as(shape, threads); })
    return V::runs_as(shape, threads);
  else if constexpr (requires { V::runs_as(); })
    return V::runs_as();
  else
    return {};
}

template <class V, class Op>
constexpr PredictionEntry predicted_misses_of() {
  if constexpr (requires(const Shape shape, const Params params, cache::IdealCache ideal) {
                  V::predicted_misses(Op{}, shape, params, ideal);
                })
    return [](const Shape& shape, const Params& params,
              cache::IdealCache ideal) -> std::optional<cache::Prediction> {
      return V::predicted_misses(Op{}, shape, params, ideal);
    };
  else
    return nullptr;
}

template <class V, class... Ops>
constexpr auto records(OperationList<Ops...>, std::string_view name, std::string_view backend, bool peer) {
  return std::array<Variant, sizeof...(Ops)>{Variant{
      .name = name,
      .idea = V::idea,
      .source = V::source,
      .uses = uses_of<V>(),
      .operation = &operation_of<Ops>,
      .backend = backend,
      .peer = peer,
      .params = params_of<V>(),
      .phases = phases_of<V>(),
      .entries = entries_of<V, Ops>,
      .parallel = is_parallel<V>(),
      .hint_ns = &hint_ns<V, Ops>,
      .scratch_pages = scratch_pages_of<V>(),
      .error_class = error_class_of<V, Ops>(),
      .trace = EntriesOf<V, Ops>::trace,
      .profile = EntriesOf<V, Ops>::profile,
      .scratch_bytes = &scratch_of<V, Ops>,
      .supports = &supports<V>,
      .unavailable = &unavailable<V>,
      .prepare = prepare_of<V>(),
      .runs_as = &runs_as<V>,
      .predicted_misses = predicted_misses_of<V, Ops>(),
  }...};
}
}  // namespace detail

/// The records of variant class `V`, one for each operation in V::operations.
template <class V>
constexpr auto variant_records(std::string_view name, std::string_view backend, bool peer) {
  return detail::records<V>(typename V::operations{}, name, backend, peer);
}

}  // namespace tallcache
