// What a document says of the program that measured it: its commit and the sources of its variants.
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"
#include "common/measure/sources.hpp"

namespace tallcache {

/// The sources of what a record of the document measured.
std::vector<const Source*> sources_of(const Document&, const Record&);
/// The sources of what the document's records measured, each once, by path.
std::vector<const Source*> measured_sources(const Document&);
/// The same as the document has it, {path: blob}: context/sources.
Json sources_json(const Document&);

/// Whether the text is the digits of a commit, whole or abbreviated (7 to 40), and nothing else.
bool is_commit(std::string_view text);

/// Throws Error unless a context of this program's schema names a whole commit, "-dirty" behind it or not, or
/// "unknown", and the blobs of its sources.
void require_provenance(const Json& context);

/// The commit of a context's build in twelve digits, as a report names it: "44c3d3c7fbe3-dirty".
std::string short_commit(const Json& build);

}  // namespace tallcache
