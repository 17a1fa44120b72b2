// The entries of a variant class whose text is a template over a fork policy and an access policy: run on one
// thread or on several, traced, and profiled.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/cache/tracer.hpp"
#include "common/fork/parallel.hpp"
#include "common/fork/recorded.hpp"
#include "common/fork/work_span.hpp"
#include "common/traced.hpp"
#include "common/variant_records.hpp"

namespace tallcache::detail {

template <class V, std::size_t phase, class Fork, class Args>
void run_phase(Fork& fork, const Args& args, const Params& params) {
  if constexpr (requires { V::phases; })
    V::template run<phase>(fork, args, params);
  else
    V::run(fork, args, params);
}

template <class V, bool timed, class Fork, class Args>
void run_phases_that_are(Fork& fork, const Args& args, const Params& params) {
  const auto run = [&]<std::size_t phase>() {
    if constexpr (phases_of<V>()[phase].timed == timed) run_phase<V, phase>(fork, args, params);
  };
  [&]<std::size_t... phase>(std::index_sequence<phase...>) { (run.template operator()<phase>(), ...); }
  (std::make_index_sequence<phases_of<V>().size()>{});
}

/// The phases that are not timed, and so neither traced nor profiled; they come before the others.
template <class V, class Args>
void prepare(const Args& args, const Params& params) {
  Serial fork;
  run_phases_that_are<V, false>(fork, args, params);
}

/// The timed phases in order under any fork policy, with whatever access policy `args` has.
template <class V, class Fork, class Args>
void run_phases(Fork& fork, const Args& args, const Params& params) {
  run_phases_that_are<V, true>(fork, args, params);
}

/// About how long a run takes on one thread, in nanoseconds, up to a century; 0: the variant does not say.
template <class V, class Op>
Index foretold(const ArgsOf<Op>& args) {
  return static_cast<Index>(std::min(hint_ns<V, Op>(Op::cost(Op::shape_of(args))), 3e18));
}

template <class V, class Op>
struct TextEntries {
  /// The one place where the fork policy of a run is chosen.
  template <std::size_t phase>
  static void enter(const void* erased, const Params& params, const Launch& launch) {
    const auto& args = args_of<Op>(erased);
    if constexpr (is_parallel<V>())
      if (launch.threads > 1)
        return run_parallel(
            launch.threads, [&](auto& fork) { run_phase<V, phase>(fork, args, params); },
            phase + 1 == phases_of<V>().size() ? foretold<V, Op>(args) : 0);
    Serial fork;
    run_phase<V, phase>(fork, args, params);
  }

  /// The text of all runs that are watched: under AnyFork where it forks, so that it is compiled once.
  template <class Fork, class Args>
  static void watch(const Fork& policy, const Args& args, const Params& params) {
    if constexpr (is_parallel<V>()) {
      AnyFork fork(policy);
      run_phases<V>(fork, args, params);
    } else {
      Serial fork;
      run_phases<V>(fork, args, params);
    }
  }

  static void trace(const void* erased, const Params& params, cache::Tracer& tracer) {
    const auto& args = args_of<Op>(erased);
    prepare<V>(args, params);
    AnySink sink(tracer);
    const auto traced = args.with(Traced<AnySink>{&sink});
    if (ForkObserver* const observer = tracer.fork_observer())
      watch(Recorded(*observer, tracer.width()), traced, params);
    else
      watch(Serial(), traced, params);
  }

  static Profile profile(const void* erased, const Params& params, CostUnit unit,
                         const ProfileOptions& options) {
    const auto& args = args_of<Op>(erased);
    prepare<V>(args, params);
    if (unit == CostUnit::nanoseconds) {
      WorkSpan<Nanoseconds> fork(options);
      return fork.profile([&] { watch(fork, args, params); });
    }
    UnitCost cost;
    AnySink sink(cost);
    WorkSpan<UnitCost> fork(options);
    return fork.profile([&] { watch(fork, args.with(Traced<AnySink>{&sink}), params); });
  }
};

}  // namespace tallcache::detail
