// JSON of catalogue entries, and JSON files.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/results/no_value.hpp"
#include "bench/results/output_file.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// Keys keep the order in which they are written.
using Json = nlohmann::ordered_json;

Json to_json(const Named&);

/// A catalogue entry: operation, variant, backend, element, idea, source, peer, params, available, reason.
Json to_json(const Variant&);

/// The JSON of a file. Throws Error, one line with the file and the place, when it cannot be read or is none.
Json read_json(const std::string& path);

/// What a document lacks, in the library's words without its number.
std::string what_of(const std::exception&);

/// As write_text() does, a member a line where it does not fit one. Throws Error when it cannot be written.
void write_json(const std::string& path, const Json& document);

}  // namespace tallcache
