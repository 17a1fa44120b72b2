// The rows of the texts and the bibliography: every row, source, command and test that they name exists.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <sstream>

#include "bench/commands/commands.hpp"
#include "bench/commands/topics.hpp"
#include "bench/tables/slides.hpp"
#include "bench/tables/table.hpp"
#include "common/catalogue.hpp"

namespace tallcache::test {
namespace {

using Faults = std::vector<std::string>;

constexpr std::pair<char, int> texts[] = {{'M', 17}, {'H', 2}, {'P', 7}, {'S', 6}};

bool has_gpu_variants() {
  return std::ranges::any_of(variants(), [](const Variant* v) { return v->backend == "gpu"; });
}

// Whether this build has everything that the command needs.
bool is_in_build(const std::string& command) {
#ifndef TALLCACHE_HAS_PAPI
  if (command.starts_with("tallcache misses")) return false;
#endif
  return has_gpu_variants() || command.find("--backend gpu") == std::string::npos;
}

// The tests that CTest knows, with their programs' names.
const std::set<std::string>& tests() {
  static const std::set<std::string> names = [] {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(LIST_TESTS, "r"), pclose);
    std::string text;
    for (int c; (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
    const Json document = Json::parse(text);
    std::set<std::string> list;
    for (const Json& test : document.at("tests")) {
      const std::string name = test.at("name");
      for (std::size_t end = 0; end != std::string::npos;) {
        end = name.find_first_of("./", end + 1);
        list.insert(name.substr(0, end));
      }
    }
    return list;
  }();
  return names;
}

// Whether its program is built, without which CTest knows none of its tests.
bool is_built(const std::string& test) {
  return !tests().contains(test.substr(0, test.find('.')) + "_NOT_BUILT");
}

// The error of a command line, which is parsed and not run.
std::string command_fault(const std::string& line) try {
  CLI::App app("", "tallcache");
  add_commands(app);
  app.parse_complete_callback([] { throw CLI::Success(); });  // everything is parsed, nothing has run
  if (!line.starts_with("tallcache ")) return "is no command of tallcache: " + line;
  try {
    app.parse(line, true);
  } catch (const CLI::Success&) {
  }
  if (app.get_subcommands().size() != 1) return "names no command: " + line;
  const CLI::App& command = *app.get_subcommands().front();
  const auto values = [&](const char* option) {
    const CLI::Option* found = command.get_option_no_throw(option);
    return found ? found->results() : std::vector<std::string>();
  };
  for (const std::string& id : values("TABLE")) find_table(id);
  const auto operation = values("operation"), element = values("--element");
  if (operation.empty()) return "";
  const Operation& found = find_operation(operation[0], element.empty() ? "" : element[0]);
  for (const std::string& name : values("variants")) find_variant(found, name);
  for (const std::string& shape : values("--shape")) parse_shape(found, shape);
  return "";
} catch (const std::exception& error) {
  return error.what();
}

Faults row_faults(const Json& row) {
  Faults faults;
  const std::string id = row.at("id"), command = row.at("command"), missing = row.at("missing");
  const auto fault = [&](const std::string& text) { faults.push_back(id + ": " + text); };
  if (row.at("text") == "") fault("is of no text in the bibliography");
  if (row.at("where").empty()) fault("does not say where in the text it is");
  if (command.empty() && missing.empty()) fault("has nothing to run, and nothing is missing");
  if (!command.empty() && row.at("tests").empty()) fault("has a command and no test");
  if (!row.at("tables").at("not_yet").empty() && missing.empty())
    fault("has a table that is not reproduced, and nothing is missing");
  if (!command.empty() && is_in_build(command))
    if (const std::string text = command_fault(command); !text.empty()) fault(text);
  for (const Json& test : row.at("tests"))
    if (is_built(test) && !tests().contains(test)) fault("no test " + test.get<std::string>());
  return faults;
}

Faults id_faults(const Json& index) {
  Faults faults;
  std::multiset<std::string> ids;
  for (const Json& row : index) ids.insert(row.at("id"));
  for (const auto& [letter, count] : texts)
    for (int number = 1; number <= count; ++number) {
      const std::string id = letter + std::to_string(number);
      if (ids.erase(id) != 1) faults.push_back(id + " is not there once");
    }
  for (const std::string& id : ids) faults.push_back(id + " is no row of the texts");
  return faults;
}

// The sources of variants and tables that the bibliography does not resolve.
Faults source_faults(const Json& all, const Json& tables) {
  Faults faults;
  for (const Variant* variant : variants())
    for (const std::string& part : citations(variant->source, all).unresolved)
      faults.push_back(std::string(variant->name) + ": " + part);
  for (const Json& table : tables)
    for (const TextPlace& place : places(table.at("source").get<std::string>(), all)) {
      const bool known = std::ranges::any_of(all.at("topics"), [&](const Json& row) {
        const Json& where = row.at("where");
        return text_of(row.at("id").get<std::string>(), all) == place.text &&
               std::ranges::find(where, Json(place.title)) != where.end();
      });
      if (!known)
        faults.push_back(table.at("id").get<std::string>() + ": no row is of '" + place.title + "'");
    }
  return faults;
}

Json slide_tables() { return Json::parse(slides_json).at("tables"); }

Faults index_faults(const Json& all) {
  const Json index = topic_index(all);
  Faults faults = id_faults(index);
  for (const Json& row : index)
    for (std::string& fault : row_faults(row)) faults.push_back(std::move(fault));
  return faults;
}

// The single fault of an index after `change`.
template <class Change>
std::string fault_after(Change&& change) {
  Json all = sources();
  change(all);
  const Faults faults = index_faults(all);
  EXPECT_EQ(faults.size(), 1) << testing::PrintToString(faults);
  return faults.empty() ? "" : faults[0];
}

TEST(Topics, EveryRowIsThereAndHolds) { EXPECT_EQ(index_faults(sources()), Faults{}); }

TEST(Topics, EverySourceResolves) { EXPECT_EQ(source_faults(sources(), slide_tables()), Faults{}); }

TEST(Topics, EveryTableHasARow) {
  std::set<std::string> of_rows;
  for (const Json& row : topic_index(sources()))
    for (const Json& id : row.at("tables").at("reproduced")) of_rows.insert(id);
  for (const Table* table : tables())
    EXPECT_EQ(of_rows.contains(std::string(table->id)), table->printed) << table->id;
}

TEST(Topics, RowsNameTheirVariantsAndTables) {
  const Json index = topic_index(sources());
  const auto row = [&](const char* id) {
    return *std::ranges::find_if(index, [&](const Json& r) { return r.at("id") == id; });
  };
  const Json m7 = row("M7").at("variants");
  for (const char* name : {"matmul cpu recursive", "matmul cpu recursive_packed"})
    EXPECT_EQ(std::ranges::count(m7, Json(name)), 1) << m7;
  EXPECT_EQ(row("M7").at("tables").at("reproduced"), Json{"matmul-cpu"});
  EXPECT_EQ(row("M1").at("variants").at(0), "matmul cpu naive") << "M1 is not M10";
  EXPECT_EQ(row("M10").at("variants"), Json{"matmul cpu recursive_temporary"});
  EXPECT_EQ(row("P4").at("tables").at("reproduced"), Json{"dram-channels"});
}

TEST(Topics, WhatNeedsMoreThanThisBuild) {
  const Json all = sources();
  std::string left_out;
  for (const Json& row : all.at("topics"))
    if (const std::string command = row.at("command"); !is_in_build(command))
      left_out += "; " + row.at("id").get<std::string>() + ": " + command;
  for (const Json& row : all.at("topics"))
    for (const Json& test : row.at("tests"))
      if (!is_built(test)) left_out += "; " + test.get<std::string>() + " is not built";
  if (!left_out.empty()) GTEST_SKIP() << "not checked" << left_out;
}

TEST(Topics, GpuVariantsNameWhatTheyApply) {
  if (!has_gpu_variants()) GTEST_SKIP() << "built without CUDA";
  const std::set<std::string> checklist{"occupancy", "coalescing",    "divergence",
                                        "tiling",    "privatisation", "coarsening"};
  std::set<std::string> applied;
  for (const Variant* variant : variants()) {
    const std::string idea(variant->idea), mark = "applies ";
    const std::size_t at = idea.find(mark);
    if (variant->backend != "gpu" || at == std::string::npos) continue;
    std::stringstream list(idea.substr(at + mark.size()));
    for (std::string word; std::getline(list, word, ',');) {
      word.erase(0, word.find_first_not_of(' '));
      EXPECT_TRUE(checklist.contains(word)) << variant->name << ": " << word;
      applied.insert(word);
    }
  }
  EXPECT_GE(applied.size(), 5);
}

TEST(Bibliography, EveryWorkIsCited) {
  if (!has_gpu_variants()) GTEST_SKIP() << "built without CUDA, whose variants cite some";
  for (const Json& entry : cited_sources(sources())) EXPECT_FALSE(entry.at("cited_by").empty()) << entry;
}

TEST(Bibliography, EveryEntryIsWhole) {
  for (const Json& entry : cited_sources(sources()))
    for (const char* key : {"cite", "author", "title", "where"}) EXPECT_NE(entry.at(key), "") << entry;
}

TEST(Citations, AreFoundInASource) {
  const Json all = sources();
  const auto names = [&](const char* source) { return citations(source, all).names; };
  EXPECT_EQ(names("M11; Strassen 1969"), (Faults{"M11", "Strassen 1969"}));
  EXPECT_EQ(names("M6; leaf after HPTT (Springer, Su and Bientinesi 2017)"),
            (Faults{"M6", "Springer, Su and Bientinesi 2017"}));
  EXPECT_EQ(names("P7: Privatisation; M8: Counting sort"), (Faults{"P7", "M8"}));
}

TEST(Citations, ThatResolveToNothingAreNamed) {
  const Json all = sources();
  for (const char* source :
       {"M18: a slide", "M99", "M1, with the loops of M99", "Nobody 1999", "out of thin air",
        "M13, with the partition of Nobody 1999", "M1 and Strassen 1970", ""})
    EXPECT_EQ(citations(source, all).unresolved, Faults{source});
  EXPECT_EQ(citations("M1; H3; Strassen 1969", all).unresolved, Faults{"H3"});
}

TEST(Places, OfATextFollowItsName) {
  const Json all = sources();
  EXPECT_EQ(places("PMPP: Exercise 4; Hong: Agenda; Next?; Moreno Maza: Counting sort: the algorithm", all),
            (std::vector<TextPlace>{{"PMPP", "Exercise 4"},
                                    {"Hong", "Agenda"},
                                    {"Hong", "Next?"},
                                    {"Moreno Maza", "Counting sort: the algorithm"}}));
  Json tables = slide_tables();
  tables[0]["source"] = "Moreno Maza: A slide that is not there";
  tables[1]["source"] = "Nobody: Comparisons";
  EXPECT_EQ(source_faults(all, tables), (Faults{"matmul-cpu: no row is of 'A slide that is not there'",
                                                "matmul-counters: no row is of 'Nobody: Comparisons'"}));
}

TEST(TopicsSabotage, IsNamed) {
  const auto row = [](Json& all, std::size_t i) -> Json& { return all.at("topics").at(i); };
  EXPECT_EQ(fault_after([](Json& all) { all["topics"].erase(0); }), "M1 is not there once");
  EXPECT_EQ(fault_after([&](Json& all) { all["topics"].push_back(row(all, 3)); }), "M4 is not there once");
  EXPECT_EQ(fault_after([&](Json& all) {
              all["topics"].push_back(row(all, 0));
              all["topics"].back()["id"] = "M18";
            }),
            "M18 is no row of the texts");
  EXPECT_EQ(fault_after([&](Json& all) { row(all, 0)["tests"] = {"no_such_test"}; }),
            "M1: no test no_such_test");
  EXPECT_EQ(fault_after([&](Json& all) { row(all, 0)["tests"] = Json::array(); }),
            "M1: has a command and no test");
  EXPECT_EQ(fault_after([&](Json& all) { row(all, 16)["command"] = "", row(all, 16)["where"] = {"Plan"}; }),
            "M17: has nothing to run, and nothing is missing");
  Json h2 = topic_index(sources()).at(18);
  h2["tables"]["not_yet"] = {"occupancy"};
  EXPECT_EQ(row_faults(h2), Faults{"H2: has a table that is not reproduced, and nothing is missing"});
  for (const auto& [command, fault] : std::initializer_list<std::pair<const char*, const char*>>{
           {"tallcache reproduce matmul-cpo", "unknown table 'matmul-cpo'; did you mean 'matmul-cpu'?"},
           {"tallcache run matmull", "unknown operation 'matmull'; did you mean 'matmul'?"},
           {"tallcache run matmul recursiv",
            "unknown variant of matmul 'recursiv'; did you mean 'recursive'?"},
           {"tallcache run matmul --shape x=8", "unknown size 'x'"},
           {"tallcache list --colour", "--colour"},
           {"tallcache lsit", "lsit"},
           {"make test", "is no command of tallcache"}})
    EXPECT_NE(
        fault_after([&, &command = command](Json& all) { row(all, 0)["command"] = command; }).find(fault),
        std::string::npos)
        << command << ": " << command_fault(command);
}

}  // namespace
}  // namespace tallcache::test
