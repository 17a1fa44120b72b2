// Structs as JSON objects.
#pragma once

#include <nlohmann/json.hpp>
#include <type_traits>

#include "bench/report/json.hpp"

namespace tallcache {
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

}  // namespace tallcache
