// edlib, loaded at run time: edit distances and alignments of strings by bit-parallel arithmetic, in a band
// whose width is doubled.
#pragma once

#include <string>

#include "common/ops/alignment.hpp"
#include "common/ops/string_distance_batched.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::peers {

/// Why it cannot be used; empty when it can.
const std::string& edlib_reason();

/// The edit distance. Throws Error when edlib fails.
std::int32_t edlib_distance(VectorView<const std::uint8_t> a, VectorView<const std::uint8_t> b);

/// The same and its edits.
void edlib_align(const Alignment::Args<>& args);

struct edlib {
  static constexpr std::string_view idea =
      "edlibAlign of whole strings (NW), on one thread; edits as its path";
  static constexpr std::string_view source = "edlib (Šošić and Šikić 2017)";
  using operations = OperationList<LevenshteinDistance, LevenshteinBatched, Alignment>;

  static std::string unavailable() { return edlib_reason(); }

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    if constexpr (requires { args.script; })
      edlib_align(args);
    else if constexpr (requires { args.a_begin; })
      for (Index p = 0; p < args.out.size; ++p) args.out[p] = edlib_distance(args.first(p), args.second(p));
    else
      args.out[0] = edlib_distance(args.a, args.b);
  }
};

}  // namespace tallcache::cpu::peers
