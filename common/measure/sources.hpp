// The sources that decide the speed of each variant, as git names their contents: what a document says of the
// text that it measured. cmake/provenance.py finds them when the program is built, and says which they are.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tallcache {

/// A file of the tree: its path from the root, and the 40 digits of its git blob.
struct Source {
  std::string_view path, blob;
};

/// All files that decide the speed of some variant, by path, as they were when this program was built.
std::span<const Source> sources();
/// The one of that path; nullptr when no variant has it.
const Source* find_source(std::string_view path);

/// Those of one variant of an operation on a backend, run on `threads` threads: its file and what that
/// includes of its side (cpu or gpu) and of the parts of common that run in its loops; on more threads than
/// one, for a variant that forks, also the fork policies. Those of both sides are known to every build. Empty
/// when there is no such variant.
std::vector<const Source*> sources_of(std::string_view backend, std::string_view operation,
                                      std::string_view variant, int threads);
/// Those of what is no variant: "ranks", the programs over MPI ranks, and "memory", the probes of a device's
/// memory.
std::vector<const Source*> sources_of(std::string_view subject);

}  // namespace tallcache
