// Variant: one way to do an operation, as a constant record. Types are erased here and nowhere else.
//
// A variant is a class in a file of its own, named like the file; cpu/variants.def lists it in one line:
//   struct recursive {
//     static constexpr std::string_view idea = "...", source = "M7: ...";
//     using operations = OperationList<Matmul<double>, Matmul<float>>;
//     static constexpr ParamSpec params[] = {{"base", 64, "..."}};                      // optional
//     static constexpr PhaseSpec phases[] = {{"partition"}, {"sort"}};                  // optional
//     static constexpr bool parallel = true;                      // optional: it forks, or its library does
//     static constexpr Pages scratch_pages = Pages::huge;         // optional: on which its scratch lies
//     static std::size_t scratch(const Op&..., const Shape&, const Params&);            // optional; a fourth
//                                                  // argument, Index width, is the width of the fork policy
//     static bool supports(const Shape&);                                               // optional
//     static std::string unavailable();                                    // optional, "" when it can run
//     template <class Fork, class Args> static void run(Fork& fork, const Args& args, const Params& params);
//   };
// With phases, run has the phase's index as its first template argument. A variant that calls a library whose
// threads are its own (a peer) has call(const Launch&, const Args&, const Params&) in place of run.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/cache/tracer.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/fork/work_span.hpp"
#include "common/operation.hpp"
#include "common/traced.hpp"

namespace tallcache {

enum class Backend { cpu, gpu };

constexpr std::string_view to_string(Backend backend) { return backend == Backend::cpu ? "cpu" : "gpu"; }

/// Memory in pages of the system's ordinary size, or of 2 MiB where the system gives them.
enum class Pages { ordinary, huge };

/// Where a variant runs: how many threads, and on a device in which stream.
struct Launch {
  int threads = 1;
  void* stream = nullptr;
};

/// A knob of a variant, an integer of at least `least`, or one of `choices` where there are any.
struct ParamSpec {
  std::string_view name;
  Index fallback;
  std::string_view what;
  Index least = 1;
  std::span<const Index> choices{};
};

/// A part of a variant that is timed on its own. `timed = false`: a preparation that its time leaves out,
/// such as the copy that an in-place library needs.
struct PhaseSpec {
  std::string_view name;
  bool timed = true;
};

using Entry = void (*)(const void* args, const Params&, const Launch&);
using TraceEntry = void (*)(const void* args, const Params&, cache::Tracer&);

/// What a profile counts.
enum class CostUnit { nanoseconds, accesses };
using ProfileEntry = Profile (*)(const void* args, const Params&, CostUnit, const ProfileOptions&);

struct Variant {
  std::string_view name, idea, source;
  const Operation* operation;
  Backend backend;
  bool peer;
  std::span<const ParamSpec> params;
  std::span<const PhaseSpec> phases;
  std::span<const Entry> entries;  ///< one a phase, to be called in order
  bool parallel;                   ///< runs on more than one thread when asked to
  Pages scratch_pages;             ///< on which its scratch lies
  TraceEntry trace;      ///< all timed phases, every element access told to the tracer; null for a library
  ProfileEntry profile;  ///< all timed phases, work and span measured; null for a library
  std::size_t (*scratch_bytes)(const Shape&, const Params&, Index width);
  bool (*supports)(const Shape&);
  std::string (*unavailable)();

  /// The bytes of scratch that a run on `threads` threads needs.
  std::size_t scratch(const Shape& shape, const Params& params, int threads = 1) const {
    return scratch_bytes(shape, params, parallel ? threads : 1);
  }
};

template <class... Ops>
struct OperationList {};

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

template <class V>
constexpr Pages scratch_pages_of() {
  if constexpr (requires { V::scratch_pages; })
    return V::scratch_pages;
  else
    return Pages::ordinary;
}

template <class V, std::size_t phase, class Fork, class Args>
void run_phase(Fork& fork, const Args& args, const Params& params) {
  if constexpr (requires { V::phases; })
    V::template run<phase>(fork, args, params);
  else
    V::run(fork, args, params);
}

// The one place where the fork policy of a run is chosen.
template <class V, std::size_t phase, class Op>
void enter(const void* erased, const Params& params, const Launch& launch) {
  const auto& args = args_of<Op>(erased);
  if constexpr (requires { V::call(launch, args, params); }) {
    V::call(launch, args, params);
  } else if constexpr (requires { V::template call<phase>(launch, args, params); }) {
    V::template call<phase>(launch, args, params);
  } else {
    if constexpr (is_parallel<V>())
      if (launch.threads > 1)
        return in_arena(launch.threads, [&] {
          OneTbb fork{launch.threads};
          run_phase<V, phase>(fork, args, params);
        });
    Serial fork;
    run_phase<V, phase>(fork, args, params);
  }
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

// What a variant with `call` accesses, nobody sees.
template <class V, class Op>
concept Calling = requires(const Launch launch, const ArgsOf<Op> args, const Params params) {
  V::call(launch, args, params);
}
|| requires(const Launch launch, const ArgsOf<Op> args, const Params params) {
  V::template call<0>(launch, args, params);
};

template <class V, class Op>
constexpr TraceEntry trace_of() {
  if constexpr (Calling<V, Op>)
    return nullptr;
  else
    return [](const void* args, const Params& params, cache::Tracer& tracer) {
      prepare<V>(args_of<Op>(args), params);
      Serial fork;
      run_phases<V>(fork, args_of<Op>(args).with(Traced<cache::Tracer>{&tracer}), params);
    };
}

template <class V, class Op>
Profile profile(const void* erased, const Params& params, CostUnit unit, const ProfileOptions& options) {
  const auto& args = args_of<Op>(erased);
  prepare<V>(args, params);
  if (unit == CostUnit::nanoseconds) {
    WorkSpan<Nanoseconds> fork(options);
    return fork.profile([&] { run_phases<V>(fork, args, params); });
  }
  UnitCost sink;
  WorkSpan<UnitCost> fork(options);
  return fork.profile([&] { run_phases<V>(fork, args.with(Traced<UnitCost>{&sink}), params); });
}

template <class V, class Op>
constexpr ProfileEntry profile_of() {
  if constexpr (Calling<V, Op>)
    return nullptr;
  else
    return &profile<V, Op>;
}

template <class V, class Op>
inline constexpr auto entries_of = []<std::size_t... phase>(std::index_sequence<phase...>) {
  return std::array<Entry, sizeof...(phase)>{&enter<V, phase, Op>...};
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

template <class V, class... Ops>
constexpr auto records(OperationList<Ops...>, std::string_view name, Backend backend, bool peer) {
  return std::array<Variant, sizeof...(Ops)>{Variant{
      .name = name,
      .idea = V::idea,
      .source = V::source,
      .operation = &operation_of<Ops>,
      .backend = backend,
      .peer = peer,
      .params = params_of<V>(),
      .phases = phases_of<V>(),
      .entries = entries_of<V, Ops>,
      .parallel = is_parallel<V>(),
      .scratch_pages = scratch_pages_of<V>(),
      .trace = trace_of<V, Ops>(),
      .profile = profile_of<V, Ops>(),
      .scratch_bytes = &scratch_of<V, Ops>,
      .supports = &supports<V>,
      .unavailable = &unavailable<V>,
  }...};
}
}  // namespace detail

/// The records of variant class `V`, one an operation in V::operations.
template <class V>
constexpr auto variant_records(std::string_view name, Backend backend, bool peer) {
  return detail::records<V>(typename V::operations{}, name, backend, peer);
}

/// The parameters of `variant` with those left out filled in. Throws Error on an unknown name or a value
/// below the least.
Params complete_params(const Variant& variant, const Params& params);

/// "tile=32": parsed and completed; throws Error as complete_params does.
Params parse_params(const Variant& variant, std::string_view text);

/// "tile_m=64,tile_n=64"
std::string to_string(const Params& params);

}  // namespace tallcache
