#include "bench/studies/ranks/fabric_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace tallcache {
namespace {

double number(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name) || !object.at(name).is_number())
    throw Error(fmt::format("no number '{}'", name));
  return object.at(name).get<double>();
}

Index whole_number(const Json& object, const char* name) {
  constexpr Index most = 1'000'000'000;
  const double value = number(object, name);
  if (!(value >= 1 && value <= static_cast<double>(most) && value == std::floor(value)))
    throw Error(fmt::format("'{}' is {}, which is no whole number from 1 to {}", name, value, most));
  return static_cast<Index>(value);
}

ranks::Fabric fabric_of(const Json& json) {
  ranks::Fabric fabric{.flops = number(json, "flops"), .levels = {}};
  if (!json.contains("levels") || !json.at("levels").is_array()) throw Error("no list 'levels'");
  for (const Json& level : json.at("levels"))
    fabric.levels.push_back({.children = whole_number(level, "children"),
                             .latency = number(level, "latency"),
                             .bandwidth = number(level, "bandwidth")});
  validate(fabric);
  return fabric;
}

}  // namespace

ranks::Fabric read_fabric(const std::string& name) {
  if (name == "host") return {.flops = 4e10, .levels = {{32, 1e-6, 4e9}}};
  if (name == "cluster")
    return {.flops = 4e10, .levels = {{32, 1e-6, 4e9}, {16, 2e-6, 2.5e10}, {64, 3e-6, 2e11}}};
  if (!std::filesystem::exists(name))
    throw Error(fmt::format("fabric '{}' is none of host and cluster, and no file", name));
  const Json json = read_json(name);
  try {
    return fabric_of(json);
  } catch (const Error& error) {
    throw Error(fmt::format("fabric {}: {}", name, error.what()));
  }
}

Json to_json(const ranks::Fabric& fabric) {
  Json levels = Json::array();
  for (const ranks::FabricLevel& level : fabric.levels)
    levels.push_back(
        {{"children", level.children}, {"latency", level.latency}, {"bandwidth", level.bandwidth}});
  return {{"flops", fabric.flops}, {"levels", std::move(levels)}};
}

}  // namespace tallcache
