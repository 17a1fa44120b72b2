// JSON of catalogue entries, and files that are always complete.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/report/no_value.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// Keys keep the order in which they are written.
using Json = nlohmann::ordered_json;

Json to_json(const Named&);

/// A catalogue entry: operation, variant, backend, element, idea, source, peer, params, available, reason.
Json to_json(const Variant&);

/// Writes `text` to `path` so that the file is always complete: to a temporary file beside it, which is then
/// renamed. "-" is standard output. Throws Error when it cannot be written.
void write_text(const std::string& path, std::string_view text);
void write_json(const std::string& path, const Json& document);

/// Throws Error, before anything is measured, when `path` cannot be written.
void require_writable(const std::string& path);

}  // namespace tallcache
