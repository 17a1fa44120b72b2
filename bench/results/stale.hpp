// Whether a document still says something about the sources as they are: those that this program was built
// from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/results/document.hpp"

namespace tallcache {

struct Staleness {
  std::vector<std::string> changed{};  ///< the sources whose code is another one than what was measured
  std::string unknown{};               ///< why that is unknown; empty where it is known
  bool fresh() const { return changed.empty() && unknown.empty(); }
};

/// Compares the sources that the document was measured from with this program's. A document that has the
/// blobs of its sources is judged anywhere. An older one is judged by its commit, where the current folder
/// lies in a history that has it. Where both texts of a source are in that history, a change of comments,
/// blanks and the order of includes is none, and neither is a move into a folder beside, which changes that
/// folder's name alone, nor the division of a file into those of a folder of its name (of fields.def:
/// fields/) whose code was in it as it is.
Staleness staleness(const Document&);

/// The document without the figures of the records of which a source is among `changed`: they are left out,
/// with that as the reason. What is gone may have been of any record.
Document without_changed(Document, const std::vector<std::string>& changed);

/// "stale: cpu/copy/rows.hpp, cpu/fib/fib.hpp", "unknown: there is no history here"; empty when
/// fresh.
std::string to_string(const Staleness&);

/// The text of a C++ source without comments, and with blanks and line ends only where they separate words or
/// directives; includes of the project's are in order where they follow one another. Literals stay as they
/// are.
std::string code_of(std::string_view text);

}  // namespace tallcache
