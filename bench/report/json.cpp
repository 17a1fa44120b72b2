#include "bench/report/json.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace tallcache {

namespace fs = std::filesystem;

Json to_json(const Named& named) {
  Json json = Json::object();
  for (const auto& item : named) json[std::string(item.name)] = item.value;
  return json;
}

Json to_json(const Variant& variant) {
  Json params = Json::array();
  for (const ParamSpec& spec : variant.params) {
    Json param{{"name", spec.name}, {"default", spec.default_value}, {"min", spec.min}, {"what", spec.what}};
    if (!spec.choices.empty()) param["choices"] = spec.choices;
    params.push_back(std::move(param));
  }
  const std::string reason = variant.unavailable();
  return {{"operation", variant.operation->name},
          {"variant", variant.name},
          {"backend", variant.backend},
          {"element", variant.operation->element},
          {"idea", variant.idea},
          {"source", variant.source},
          {"uses", variant.uses},
          {"peer", variant.peer},
          {"params", std::move(params)},
          {"available", reason.empty()},
          {"reason", reason}};
}

namespace {
[[noreturn]] void cannot_write(const std::string& path) {
  throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

std::string neighbour(const std::string& path) { return fmt::format("{}.{}", path, getpid()); }
}  // namespace

void require_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  if (fs::is_directory(path)) throw Error(fmt::format("cannot write {}: it is a folder", path));
  const std::string probe = neighbour(path);
  if (!std::ofstream(probe)) cannot_write(path);
  fs::remove(probe);
}

void write_text(const std::string& path, std::string_view text) {
  if (path == "-") {
    if (!(std::cout << text) || !std::cout.flush()) cannot_write("standard output");
    return;
  }
  const std::string whole = neighbour(path);
  std::ofstream file(whole);
  if (!(file << text) || !file.flush()) {
    const int error = errno;
    std::error_code ignored;
    fs::remove(whole, ignored);
    errno = error;
    cannot_write(path);
  }
  file.close();
  std::error_code error;
  fs::rename(whole, path, error);
  if (error) throw Error(fmt::format("cannot write {}: {}", path, error.message()));
}

void write_json(const std::string& path, const Json& document) {
  write_text(path, document.dump(path == "-" ? 2 : 1) + '\n');
}

}  // namespace tallcache
