// JSON of catalogue entries, and JSON files.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <type_traits>

#include "bench/report/no_value.hpp"
#include "bench/report/output_file.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// Keys keep the order in which they are written.
using Json = nlohmann::ordered_json;

namespace detail {
/// A figure may be NaN, which JSON has not: it is left out.
template <class T>
void put_field(Json& json, const char* key, const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    if (value != value) return;
  }
  json[key] = value;
}
template <class T>
void get_field(const Json& json, const char* key, T& value) {
  if constexpr (std::is_same_v<T, double>)
    value = json.value(key, no_value);
  else
    json.at(key).get_to(value);
}
}  // namespace detail

/// to_json() and from_json() of a struct, whose fields are the keys, in their order. (The library's own macro
/// is for objects without an order.)
#define TALLCACHE_JSON_FIELDS(Type, ...)                                        \
  inline void to_json(Json& json, const Type& value) {                          \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TALLCACHE_PUT_FIELD, __VA_ARGS__)) \
  }                                                                             \
  inline void from_json(const Json& json, Type& value) {                        \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TALLCACHE_GET_FIELD, __VA_ARGS__)) \
  }
#define TALLCACHE_PUT_FIELD(field) detail::put_field(json, #field, value.field);
#define TALLCACHE_GET_FIELD(field) detail::get_field(json, #field, value.field);

Json to_json(const Named&);

/// A catalogue entry: operation, variant, backend, element, idea, source, peer, params, available, reason.
Json to_json(const Variant&);

/// The JSON of a file. Throws Error, one line with the file and the place, when it cannot be read or is none.
Json read_json(const std::string& path);

/// What a document lacks, in the library's words without its number.
std::string what_of(const std::exception&);

/// As write_text() does. Throws Error when it cannot be written.
void write_json(const std::string& path, const Json& document);

}  // namespace tallcache
