// Variant: one way to do an operation, as a constant record. common/variant_records.hpp makes the records of
// a variant class; types are erased there and nowhere else.
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

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/operation.hpp"

namespace tallcache {

namespace cache {
class Tracer;
}
struct Profile;
struct ProfileOptions;

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
  std::string_view backend;  ///< the name of its Backend (common/backend.hpp): "cpu", "gpu"
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

/// The parameters of `variant` with those left out filled in. Throws Error on an unknown name or a value
/// below the least.
Params complete_params(const Variant& variant, const Params& params);

/// "tile=32": parsed and completed; throws Error as complete_params does.
Params parse_params(const Variant& variant, std::string_view text);

/// "tile_m=64,tile_n=64"
std::string to_string(const Params& params);

}  // namespace tallcache
