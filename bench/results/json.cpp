#include "bench/results/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/results/device_text.hpp"

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
          {"device_text", is_device_text(variant)},
          {"error_class", name_of(variant.error_class)},
          {"params", std::move(params)},
          {"available", reason.empty()},
          {"reason", reason}};
}

Json read_json(const std::string& path) {
  if (fs::is_directory(path)) throw Error(fmt::format("cannot read {}: it is a folder", path));
  errno = 0;
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::stringstream text;
  text << file.rdbuf();  // a pipe cannot be asked where its reader was
  if (text.bad()) throw Error(fmt::format("cannot read {} to its end", path));
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Error(fmt::format("{} is corrupt or truncated: no JSON at byte {}", path, error.byte));
  } catch (const Json::exception& error) {  // a number that no double holds
    const auto byte = text.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
    throw Error(fmt::format("{}: {} before byte {}", path, what_of(error), std::streamoff(byte)));
  }
}

std::string what_of(const std::exception& error) {
  const std::string_view what = error.what();
  const auto mark = what.find("] ");  // behind the library's number of it
  return std::string(mark == what.npos ? what : what.substr(mark + 2));
}

void write_json(const std::string& path, const Json& document) {
  write_text(path, document.dump(is_stream(path) ? 2 : 1) + '\n');
}

}  // namespace tallcache
