#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/show/fit.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/sentences.hpp"
#include "bench/tables/slides.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

constexpr const Table* list[] = {
#define TALLCACHE_TABLE(name) &slide_tables::name::table,
#include "bench/tables/tables.def"
#undef TALLCACHE_TABLE
};

constexpr std::array<std::string_view, 3> scale_names{"smoke", "quick", "full"};

bool has_all(const Json& params, const Params& wanted) {
  return std::ranges::all_of(wanted, [&](const Params::Item& item) {
    const auto found = params.find(std::string(item.name));
    return found != params.end() && *found == item.value;
  });
}

std::string paragraph(const std::string& text, Style style, std::size_t indent = 0) {
  return (style == Style::terminal ? wrapped(text, line_width(), indent) : text) + "\n";
}

// "holds here; the figures. The reason."
std::string render(const Finding& finding, Style style) {
  const std::string_view mark = style == Style::markdown ? "**" : "";
  std::string text = fmt::format("- {}: {}{}{}", finding.text, mark, verdict_of(finding), mark);
  if (!finding.figures.empty()) text += "; " + finding.figures;
  if (!finding.why.empty()) text += ". " + finding.why + (finding.why.ends_with(".") ? "" : ".");
  return paragraph(text, style, 2);
}

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

std::string_view to_string(Scale scale) { return scale_names[static_cast<std::size_t>(scale)]; }

Scale parse_scale(std::string_view text) {
  const auto found = std::ranges::find(scale_names, text);
  if (found == scale_names.end()) throw Error(unknown_name("mode", text, scale_names));
  return static_cast<Scale>(found - scale_names.begin());
}

std::string row_name(std::string_view table, std::string_view label) {
  return fmt::format("{}: {}", table, label);
}

std::vector<const Record*> records_of(const Document& document, std::string_view table,
                                      std::string_view label) {
  const std::string name = row_name(table, label);
  std::vector<const Record*> records;
  for (const Record& record : document.measurements)
    if (record.row == name && record.outcome.measured()) records.push_back(&record);
  return records;
}

std::string why_absent(const Document& document, std::string_view table, std::string_view label) {
  const std::string name = row_name(table, label);
  for (const Record& record : document.measurements)
    if (record.row == name && !record.outcome.reason.empty()) return record.outcome.reason;
  return "not measured";
}

const Record* find_run(const Document& document, const RunName& run) {
  const Operation& operation = *run.operation;
  const Json shape = to_json(complete_shape(operation, run.shape));
  for (const Record& record : document.measurements)
    if (record.operation == operation.name && record.element == operation.element &&
        record.variant == run.variant && record.backend == run.backend && record.threads == run.threads &&
        record.row.empty() && record.conditions.empty() && record.input == operation.inputs.front() &&
        record.shape == shape && has_all(record.params, run.params))
      return &record;
  return nullptr;
}

std::string_view verdict_of(const Finding& finding) {
  return !finding.holds ? "undecided here" : *finding.holds ? "holds here" : "does not hold here";
}

std::string slide_line(const Table& table) {
  if (!table.printed) return "No slide prints this table.";
  const Json& slide = slide_table(table.id);
  const std::string source = slide.at("source");
  // The slide's title follows the file's name.
  return fmt::format("Slide: {}{}.", source.substr(source.find(": ") + 2),
                     slide.contains("machine") ? ", on " + slide["machine"].get<std::string>() : "");
}

Report report_of(const Table& table, const Document& document) {
  static const Json none;
  const Json& mode = document.context.at("mode");
  return table.report({table.printed ? slide_table(table.id) : none, document,
                       parse_scale(mode.get_ref<const std::string&>())});
}

std::string render(const Table& table, const Report& report, Style style) {
  const bool markdown = style == Style::markdown;
  std::string text = paragraph(fmt::format("{}{}: {}", markdown ? "## " : "", table.id, table.title), style);
  if (markdown) text += "\n";
  text += paragraph(slide_line(table), style);
  for (const Grid& grid : report.grids) text += "\n" + render(grid, style);
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += paragraph((markdown ? "- " : "") + note, style);
  if (!report.findings.empty()) text += fmt::format("\nThe slide's findings:\n{}", markdown ? "\n" : "");
  for (const Finding& finding : report.findings) text += render(finding, style);
  return text;
}

}  // namespace tallcache
