#include "bench/results/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

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

namespace {

constexpr std::size_t line_columns = 110;

// One line where it fits, else a member a line.
std::string laid_out(const Json& json, std::size_t indent, std::size_t step) {
  if (!json.is_structured() || json.empty()) return json.dump();
  std::vector<std::string> members;
  std::size_t columns = indent;
  bool fits = true;
  for (const auto& [key, value] : json.items()) {
    std::string& member = members.emplace_back(laid_out(value, indent + step, step));
    if (json.is_object()) member.insert(0, Json(key).dump() + ": ");
    columns += member.size() + 2;
    fits = fits && member.find('\n') == member.npos;
  }
  const bool object = json.is_object();
  const std::string end = '\n' + std::string(indent, ' ');
  const auto joined = [&](const std::string& before, const std::string& after) {
    return fmt::format("{}{}{}{}{}", object ? '{' : '[', before,
                       fmt::join(members, before.empty() ? ", " : "," + before), after, object ? '}' : ']');
  };
  return fits && columns <= line_columns ? joined("", "") : joined(end + std::string(step, ' '), end);
}

}  // namespace

void write_json(const std::string& path, const Json& document) {
  write_text(path, laid_out(document, 0, is_stream(path) ? 2 : 1) + '\n');
}

}  // namespace tallcache
