// Variant: one way to do an operation, as a constant record. common/variant_records.hpp makes the records of
// a variant class; types are erased there and nowhere else.
//
// A variant is a class in a file of its own, named like the file; cpu/variants.def lists it in one line:
//
//   struct recursive {
//     static constexpr std::string_view idea = "...", source = "M7: ...";
//     using operations = OperationList<Matmul<double>, Matmul<float>>;
//     template <class Fork, class Args>
//     static void run(Fork& fork, const Args& args, const Params& params);
//
//     // Optional:
//     static constexpr ParamSpec params[] = {{"base", 64, "..."}};
//     static constexpr PhaseSpec phases[] = {{"partition"}, {"sort"}};
//     static constexpr bool parallel = true;               // it forks, or its library does
//     // On one thread, for a flop, byte, key ... of the operation's rate, in a run of 0.1 ms, within a
//     // factor of two: it foretells how long a run, or its last phase, takes (common/fork/parallel.hpp).
//     // Or the same for a byte of the operation's least traffic. Left out where a part of the run says more:
//     // its loops, its products, short steps one after another (tests/hints_test.cpp).
//     static constexpr double ns_per_unit = 0.25;          // or a template over the operation
//     static constexpr double ns_per_byte = 0.45;
//     static constexpr Pages scratch_pages = Pages::huge;  // the pages of its scratch
//     static constexpr ErrorClass error_class = ErrorClass::normwise;  // weaker than the operation's
//     static std::size_t scratch(const Op&, const Shape&, const Params&);  // and Index width, of the fork
//     static bool supports(const Shape&);
//     static std::string unavailable();                    // "" when it can run
//     static constexpr std::string_view uses = "...";      // the libraries that do a part of it, and which
//     static void prepare();                               // or prepare(const Shape&, int threads, Planning)
//     static std::string runs_as(const Shape&, int threads);  // or runs_as(); see Variant
//     // The misses in an ideal cache by theory; std::optional where the formula does not always hold.
//     static cache::Prediction predicted_misses(const Op&, const Shape&, const Params&, cache::IdealCache);
//   };
//
// With phases, run has the phase's index as its first template argument. A variant that calls a library with
// threads of its own (a peer) has call(const Launch&, const Args&, const Params&) in place of run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/operation.hpp"

namespace tallcache {

namespace cache {
class Tracer;
struct IdealCache;
struct Prediction;
}  // namespace cache
struct Profile;
struct ProfileOptions;

/// Memory in pages of the ordinary size, or of 2 MiB where the system provides them.
enum class Pages { ordinary, huge };

/// How long a library that plans by measuring may take for it: seconds, or minutes.
enum class Planning { quick, patient };

/// The threads of a run and, on a device, its stream.
struct Launch {
  int threads = 1;
  void* stream = nullptr;
};

/// A parameter of a variant: an integer of at least `min`, or one of `choices` where there are any.
struct ParamSpec {
  std::string_view name;
  Index default_value;
  std::string_view what;
  Index min = 1;
  std::span<const Index> choices{};
};

/// A part of a variant that is timed on its own. `timed = false` is a preparation that the variant's time
/// leaves out, such as the copy that an in-place library needs. `lasts`: what it makes serves any number of
/// runs, as a plan does, so that short runs can follow one another without it.
struct PhaseSpec {
  std::string_view name;
  bool timed = true, lasts = false;
};

/// Whether a run that follows another needs the last phase alone.
constexpr bool repeats_last_phase(std::span<const PhaseSpec> phases) {
  return !phases.empty() && std::ranges::all_of(phases.first(phases.size() - 1), &PhaseSpec::lasts);
}

using Entry = void (*)(const void* args, const Params&, const Launch&);
using TraceEntry = void (*)(const void* args, const Params&, cache::Tracer&);

/// The unit of a profile.
enum class CostUnit { nanoseconds, accesses };
using ProfileEntry = Profile (*)(const void* args, const Params&, CostUnit, const ProfileOptions&);

using PredictionEntry = std::optional<cache::Prediction> (*)(const Shape&, const Params&, cache::IdealCache);

struct Variant {
  std::string_view name, idea, source;
  /// What libraries do of it, and for which inputs: "CUB: the prefix sums"; empty for its own text alone.
  std::string_view uses;
  const Operation* operation;
  std::string_view backend;  ///< the name of its Backend (common/backend.hpp): "cpu", "gpu"
  bool peer;
  std::span<const ParamSpec> params;
  std::span<const PhaseSpec> phases;
  std::span<const Entry> entries;  ///< one for each phase, to be called in order
  bool parallel;                   ///< runs on more than one thread when asked to
  double (*hint_ns)(const Cost&);  ///< about the time of one thread; 0: not known
  Pages scratch_pages;             ///< on which its scratch lies
  ErrorClass error_class;          ///< the bound that its results keep
  TraceEntry trace;      ///< all timed phases, every element access passed to the tracer; null for a library
  ProfileEntry profile;  ///< all timed phases, work and span measured; null for a library
  std::size_t (*scratch_bytes)(const Shape&, const Params&, Index width);
  bool (*supports)(const Shape&);
  std::string (*unavailable)();
  /// What a library chooses once, by measuring: its kernels, a plan. Outside every time; null where there is
  /// nothing to choose. A run without it chooses by itself.
  void (*prepare)(const Shape&, int threads, Planning);
  /// What runs for such a shape, as the library names it: build, kernels, plan. It chooses the kernels,
  /// makes no plan, and is empty where the variant's own text runs alone.
  std::string (*runs_as)(const Shape&, int threads);
  /// By theory (common/cache/ideal_misses.hpp), for a complete shape and params; nothing where the formula
  /// does not hold. Null for an operation for which the variant states none.
  PredictionEntry predicted_misses;

  /// The bytes of scratch that a run on `threads` threads needs.
  std::size_t scratch(const Shape& shape, const Params& params, int threads = 1) const {
    return scratch_bytes(shape, params, parallel ? threads : 1);
  }
};

template <class... Ops>
struct OperationList {};

/// The parameters of `variant`, with defaults for those left out. Throws Error on an unknown name or a value
/// below the minimum.
Params complete_params(const Variant& variant, const Params& params);

/// "tile=32": parsed and completed; throws Error as complete_params does.
Params parse_params(const Variant& variant, std::string_view text);

/// "tile_m=64,tile_n=64"
std::string to_string(const Params& params);

}  // namespace tallcache
