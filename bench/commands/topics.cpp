#include "bench/commands/topics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

#include "bench/tables/slides.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Blanks every occurrence of `name` that is no part of a longer word; whether there was one.
bool take(std::string& text, std::string_view name) {
  bool found = false;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at) {
    const std::size_t end = at + name.size();
    if ((at > 0 && in_word(text[at - 1])) || (end < text.size() && in_word(text[end]))) continue;
    text.replace(at, name.size(), name.size(), ' ');
    found = true;
  }
  return found;
}

// Whether a word of `text` looks like the id of a row, as M99, or like a year.
bool names_more(std::string_view text, const Json& sources) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    at = std::max(end, at + 1);
    if (word.size() < 2 || !std::ranges::all_of(word.substr(1), is_digit)) continue;
    if (word.size() == 4 && (word.starts_with("19") || word.starts_with("20"))) return true;
    if (!text_of(word, sources).empty()) return true;
  }
  return false;
}

std::vector<std::string> parts(std::string_view source) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at <= source.size();) {
    const std::size_t end = std::min(source.find(';', at), source.size());
    std::string part(source.substr(at, end - at));
    part.erase(0, part.find_first_not_of(' '));
    list.push_back(std::move(part));
    at = end + 1;
  }
  return list;
}

std::string name_of(const Variant& variant) {
  return fmt::format("{} {} {}", variant.operation->name, variant.backend, variant.name);
}

// Element types are one variant.
std::vector<std::string> variants_citing(std::string_view name, const Json& sources) {
  std::vector<std::string> list;
  for (const Variant* variant : variants())
    if (const auto names = citations(variant->source, sources).names;
        std::ranges::find(names, name) != names.end())
      if (const std::string own = name_of(*variant); std::ranges::find(list, own) == list.end())
        list.push_back(own);
  return list;
}

bool is_reproduced(std::string_view id) {
  return std::ranges::any_of(tables(), [&](const Table* table) { return table->id == id; });
}

Json tables_from(std::string_view text, const Json& where, const Json& sources) {
  Json list{{"reproduced", Json::array()}, {"not_yet", Json::array()}};
  const Json slides = Json::parse(slides_json);
  for (const Json& table : slides.at("tables")) {
    const std::string id = table.at("id"), source = table.at("source");
    const bool from_here = std::ranges::any_of(places(source, sources), [&](const TextPlace& place) {
      return place.text == text && std::ranges::find(where, Json(place.title)) != where.end();
    });
    if (from_here) list[is_reproduced(id) ? "reproduced" : "not_yet"].push_back(id);
  }
  return list;
}

// "  variants  a, b", broken into lines of at most 110 characters; nothing for an empty list.
std::string field(std::string_view title, const Json& list, std::string_view between) {
  std::string text, line;
  for (const Json& item : list) {
    const std::string word = item;
    if (!line.empty() && line.size() + word.size() > 95)
      text += line.substr(0, line.find_last_not_of(' ') + 1) + fmt::format("\n{:13}", ""), line.clear();
    line += word + (&item == &list.back() ? "" : std::string(between));
  }
  return list.empty() ? "" : fmt::format("    {:<9}{}{}\n", title, text, line);
}

}  // namespace

Json sources() {
  Json all{{"topics", Json::parse(topics_json).at("topics")}};
  const Json bibliography = Json::parse(bibliography_json);
  for (const char* list : {"texts", "works"}) all[list] = bibliography.at(list);
  return all;
}

Citations citations(std::string_view source, const Json& sources) {
  Citations all;
  for (const std::string& part : parts(source)) {
    std::string rest = part;
    bool found = false;
    const auto look_for = [&](const char* list, const char* key) {
      for (const Json& entry : sources.at(list))
        if (const std::string name = entry.at(key); take(rest, name)) {
          all.names.push_back(name);
          found = true;
        }
    };
    look_for("topics", "id");
    look_for("works", "cite");
    if (!found || names_more(rest, sources)) all.unresolved.push_back(part);
  }
  return all;
}

std::vector<TextPlace> places(std::string_view source, const Json& sources) {
  std::vector<TextPlace> list;
  std::string text;
  for (std::string part : parts(source)) {
    for (const Json& entry : sources.at("texts"))
      if (const std::string cite = entry.at("cite"); part.starts_with(cite + ": ")) {
        text = cite;
        part.erase(0, cite.size() + 2);
      }
    list.push_back({text, part});
  }
  return list;
}

std::string text_of(std::string_view id, const Json& sources) {
  for (const Json& text : sources.at("texts"))
    if (id.substr(0, 1) == text.at("ids").get<std::string>()) return text.at("cite");
  return "";
}

Json topic_index(const Json& sources) {
  Json index = Json::array();
  for (const Json& row : sources.at("topics")) {
    const std::string id = row.at("id"), text = text_of(id, sources);
    Json entry{{"id", id}, {"title", row.at("title")}, {"text", text}, {"where", row.at("where")}};
    entry["variants"] = variants_citing(id, sources);
    entry["tables"] = tables_from(text, row.at("where"), sources);
    for (const char* key : {"command", "tests"}) entry[key] = row.at(key);
    entry["missing"] = row.value("missing", "");
    index.push_back(std::move(entry));
  }
  return index;
}

Json cited_sources(const Json& sources) {
  Json list = Json::array();
  for (const Json& text : sources.at("texts")) {
    Json entry = text;
    entry["cited_by"] = Json::array();
    for (const Json& row : sources.at("topics"))
      if (text.at("cite") == text_of(row.at("id").get<std::string>(), sources))
        entry["cited_by"].push_back(row.at("id"));
    list.push_back(std::move(entry));
  }
  for (const Json& work : sources.at("works")) {
    Json entry = work;
    entry["cited_by"] = variants_citing(work.at("cite").get<std::string>(), sources);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string render_topic(const Json& row) {
  const auto get = [&](const char* key) { return row.at(key).get<std::string>(); };
  const auto one = [&](const char* key) {
    return get(key).empty() ? Json::array() : Json::array({get(key)});
  };
  const Json& tables = row.at("tables");
  return fmt::format("{:<4}{}\n", get("id"), get("title")) + field("text", one("text"), "") +
         field("where", row.at("where"), "; ") + field("variants", row.at("variants"), ", ") +
         field("tables", tables.at("reproduced"), ", ") + field("run", one("command"), "") +
         field("tests", row.at("tests"), ", ") + field("missing", one("missing"), "");
}

std::string render_source(const Json& entry) {
  std::string text = entry.at("cite").get<std::string>() + "\n";
  for (const char* key : {"author", "title", "where"}) text += field(key, Json::array({entry.at(key)}), "");
  return text + field("cited by", entry.at("cited_by"), ", ");
}

}  // namespace tallcache
