// The topics: the rows of the texts that the suite reproduces (results/slides/topics.json), joined with what
// names them, the variants and the tables; and what all sources are (results/slides/bibliography.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/results/json.hpp"

namespace tallcache {

/// The two files as they were when the program was built.
extern const char* const topics_json;
extern const char* const bibliography_json;

/// {"topics": rows, "texts": those that the rows are of, "works": all others that are cited}: the two files
/// as one.
Json sources();

/// What the parts of a variant's source, between semicolons, name.
struct Citations {
  std::vector<std::string> names;       ///< ids of rows, and what the bibliography's entries are cited as
  std::vector<std::string> unresolved;  ///< parts with no such name, or with an id or a year left over
};
Citations citations(std::string_view source, const Json& sources);

/// A slide, section or exercise of a text; the text is empty where the source names none that there is.
struct TextPlace {
  std::string text, title;
  bool operator==(const TextPlace&) const = default;
};
/// The places that a table's source names: "Hong: Comparisons; Agenda" are two of Hong's.
std::vector<TextPlace> places(std::string_view source, const Json& sources);

/// What the bibliography's text is cited as that the row called `id` is of; empty when there is none.
std::string text_of(std::string_view id, const Json& sources);

/// The rows, each with its "text", its "variants" ("matmul cpu naive"), and its "tables" by whether there is
/// a measured one yet: {"reproduced", "not_yet"}.
Json topic_index(const Json& sources);

/// The bibliography, each entry with "cited_by": ids of rows, or the variants that name it.
Json cited_sources(const Json& sources);

/// A row of topic_index, or an entry of cited_sources, for people.
std::string render_topic(const Json& row);
std::string render_source(const Json& entry);

}  // namespace tallcache
