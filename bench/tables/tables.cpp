#include <fmt/format.h>

#include "bench/tables/list.hpp"
#include "bench/tables/slides.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {
// The order in which they run and print: one line a table.
constexpr const Table* list[] = {
    &matmul_cpu_table,         //
    &matmul_counters_table,    //
    &matmul_accesses_table,    //
    &cache_complexity_table,   //
    &transpose_cpu_table,      //
    &counting_sort_cpu_table,  //
    &matmul_parallel_table,    //
    &work_span_table,          //
    &cilkview_profile_table,   //
    &cilkview_timing_table,    //
    &fib_table,                //
    &quicksort_table,          //
    &matmul_threshold_table,   //
    &matmul_gpu_table,         //
    &matmul_gpu_intensity_table,
    &transpose_gpu_gtx280_table,
    &transpose_gpu_k40_table,
    &peak_ratios_table,  //
    &gemv_gemm_table,    //
};
}  // namespace

std::span<const Table* const> tables() { return list; }

const Table& find_table(std::string_view id) {
  std::vector<std::string_view> ids;
  for (const Table* table : list) {
    if (table->id == id) return *table;
    ids.push_back(table->id);
  }
  throw Error(unknown_name("table", id, ids));
}

const Json& slide_table(std::string_view id) {
  static const Json slides = Json::parse(slides_json);
  for (const Json& table : slides.at("tables"))
    if (table.at("id") == id) return table;
  throw Error(fmt::format("the slides have no table '{}'", id));
}

std::string_view to_string(Scale scale) {
  return scale == Scale::smoke ? "smoke" : scale == Scale::quick ? "quick" : "full";
}

Json to_json(const Table& table, const Json& slide, const Report& report) {
  Json json{{"id", table.id}, {"title", table.title}, {"source", slide.at("source")}};
  if (slide.contains("machine")) json["slide_machine"] = slide["machine"];
  for (const char* list : {"grids", "notes", "findings", "ratios"}) json[list] = Json::array();
  for (const Grid& grid : report.grids) json["grids"].push_back(to_json(grid));
  json["notes"] = report.notes;
  for (const Finding& finding : report.findings)
    json["findings"].push_back({{"text", finding.text},
                                {"holds", finding.holds ? Json(*finding.holds) : Json(nullptr)},
                                {"figures", finding.figures},
                                {"why", finding.why}});
  for (const Ratio& ratio : report.ratios)
    json["ratios"].push_back({{"where", ratio.where},
                              {"what", ratio.what},
                              {"slide", ratio.slide},
                              {"here", ratio.here},
                              {"quotient", ratio.quotient}});
  return json;
}

std::string render_table(const Json& table, Style style) {
  const bool markdown = style == Style::markdown;
  std::string text = fmt::format("{}{}: {}\n", markdown ? "## " : "", table.at("id").get<std::string>(),
                                 table.at("title").get<std::string>());
  const std::string source = table.at("source");
  // The slide's title stands behind the file's name.
  text += fmt::format("{}Slide: {}", markdown ? "\n" : "", source.substr(source.find(": ") + 2));
  if (table.contains("slide_machine"))
    text += fmt::format(", on {}", table["slide_machine"].get<std::string>());
  text += ".\n";
  for (const Json& grid : table.at("grids")) text += "\n" + render(grid_from_json(grid), style);
  if (!table.at("notes").empty()) text += "\n";
  for (const Json& note : table.at("notes"))
    text += fmt::format("{}{}\n", markdown ? "- " : "", note.get<std::string>());
  if (!table.at("findings").empty())
    text += fmt::format("\n{}\n", markdown ? "The slide's findings:\n" : "The slide's findings:");
  for (const Json& finding : table.at("findings")) {
    const Json& holds = finding.at("holds");
    const std::string verdict = holds.is_null() ? "undecided here"
                                : holds         ? "holds here"
                                                : "does not hold here";
    const std::string figures = finding.at("figures"), why = finding.at("why");
    text += fmt::format("- {}: {}{}{}{}\n", finding.at("text").get<std::string>(),
                        markdown ? "**" + verdict + "**" : verdict, figures.empty() ? "" : "; ", figures,
                        why.empty() ? "" : ". " + why);
    if (text.ends_with("\n") && !why.empty() && !why.ends_with(".")) text.insert(text.size() - 1, ".");
  }
  return text;
}

}  // namespace tallcache
