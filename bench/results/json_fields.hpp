// Structs as JSON objects.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/results/json.hpp"

namespace tallcache {
namespace detail {
template <class T>
void put_field(Json& json, const char* key, const T& value) {
  json[key] = value;
}
template <class T>
void get_field(const Json& json, const char* key, T& value) {
  json.at(key).get_to(value);
}
// What is not there is left out.
template <class T>
void put_field(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
template <class T>
void get_field(const Json& json, const char* key, std::optional<T>& value) {
  if (json.contains(key)) value = json[key].get<T>();
}
// A figure is NaN there, which JSON has not.
inline void put_field(Json& json, const char* key, double value) {
  if (!std::isnan(value)) json[key] = value;
}
inline void get_field(const Json& json, const char* key, double& value) { value = json.value(key, no_value); }
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
#define TALLCACHE_PUT_FIELD(field) ::tallcache::detail::put_field(json, #field, value.field);
#define TALLCACHE_GET_FIELD(field) ::tallcache::detail::get_field(json, #field, value.field);

}  // namespace tallcache
