#include "bench/tables/exercises.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "bench/tables/counted_records.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

constexpr const char* exercises_label = "exercises";

std::vector<double> numbers(const Json& answer) {
  return answer.is_array() ? answer.get<std::vector<double>>() : std::vector<double>{answer.get<double>()};
}

// As the text prints it: 2.32, or 0 1 4 5.
std::string printed(const Json& answer) {
  if (!answer.is_array()) return answer.is_number_float() ? answer.dump() : digits(answer.get<double>());
  std::vector<std::string> all;
  for (const Json& number : answer) all.push_back(number.dump());
  return fmt::format("{}", fmt::join(all, " "));
}

std::string with_unit(const std::string& answer, const Json& row) {
  const std::string unit = row.at(3);
  return unit.empty() ? answer : answer + " " + unit;
}

// Half a unit of the last digit that is printed, and what rounding to binary adds.
double tolerance(const Json& number) {
  if (!number.is_number_float()) return 0.5;
  const std::string text = number.dump();
  const std::size_t point = text.find('.');
  const auto decimals = static_cast<double>(text.size() - point - 1);
  return 0.5 * std::pow(10, -decimals) * (1 + 1e-9);
}

bool agrees(const Json& answer, const std::vector<double>& model) {
  if (numbers(answer).size() != model.size()) return false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Json& number = answer.is_array() ? answer[i] : answer;
    if (!(std::abs(model[i] - number.get<double>()) <= tolerance(number))) return false;
  }
  return true;
}

const Quantity* quantity_of(const std::vector<const Record*>& records, const std::string& exercise,
                            bool is_measured) {
  for (const Record* record : records)
    for (const Quantity& quantity : record->quantities)
      if (quantity.name == "answer" && quantity.at.value("exercise", "") == exercise &&
          is_measured == (quantity.origin == Origin::clock || quantity.origin == Origin::event))
        return &quantity;
  return nullptr;
}

std::vector<double> values_of(const Quantity& quantity) {
  return quantity.values.empty() ? std::vector<double>{quantity.value} : quantity.values;
}

std::string text_of(const std::vector<double>& values) {
  std::vector<std::string> all;
  for (double value : values) all.push_back(digits(value));
  return fmt::format("{}", fmt::join(all, " "));
}

std::string measured_cell(const std::vector<const Record*>& records, const std::string& exercise,
                          const Measurable& measurable) {
  if (const Quantity* quantity = quantity_of(records, exercise, true)) return text_of(values_of(*quantity));
  if (const double value = measurable.elsewhere ? measurable.elsewhere(exercise) : no_value; value > 0)
    return digits(value);
  const bool could = std::ranges::find(measurable.exercises, exercise) != measurable.exercises.end();
  return could ? std::string(measurable.needs) : "-";
}

Finding finds(const Json& row, const Quantity* model, std::span<const Remark> remarks) {
  const std::string exercise = row.at(1);
  Finding finding{
      fmt::format("{}, {}: {}", row.at(0).get<std::string>(), exercise, with_unit(printed(row.at(2)), row)),
      {},
      {},
      {}};
  if (!model) return finding;
  const std::vector<double> values = values_of(*model);
  finding.holds = agrees(row.at(2), values);
  if (text_of(values) != printed(row.at(2))) finding.figures = with_unit(text_of(values), row);
  const auto remark = std::ranges::find(remarks, exercise, &Remark::exercise);
  if (remark != remarks.end()) finding.why = *finding.holds ? remark->agrees : remark->differs;
  return finding;
}

}  // namespace

std::string digits(double value) {
  if (std::isnan(value)) return "-";
  const bool whole = value == std::floor(value) || std::abs(value) >= 1e6;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

const Json& exercises_of(const Json& slide) {
  return slide.contains("exercises") ? slide["exercises"] : slide.at("rows");
}

Answers::Answers(std::string_view table)
    : table_(table), record_(measured_record(std::string(table), "model", "", Json::object())) {}

Quantity Answers::quantity(std::string_view exercise, Origin origin, std::string_view model) const {
  std::vector<std::string_view> names;
  for (const Json& row : exercises_of(slide_table(table_))) {
    names.push_back(row.at(1).get_ref<const std::string&>());
    if (names.back() != exercise) continue;
    const std::string unit = row.at(3);
    return {.name = "answer",
            .unit = unit.empty() ? "1" : unit,
            .origin = origin,
            .detail = std::string(model),
            .at = {{"exercise", exercise}}};
  }
  throw Error(unknown_name("exercise", exercise, names));
}

void Answers::put(std::string_view exercise, double value, Origin origin, std::string_view model) {
  Quantity answer = quantity(exercise, origin, model);
  answer.value = value;
  record_.quantities.push_back(std::move(answer));
}

void Answers::put(std::string_view exercise, std::vector<double> values, Origin origin,
                  std::string_view model) {
  Quantity answer = quantity(exercise, origin, model);
  answer.over = {"place", "1", {}};
  for (std::size_t i = 0; i < values.size(); ++i) answer.over.points.push_back(static_cast<double>(i));
  answer.values = std::move(values);
  record_.quantities.push_back(std::move(answer));
}

Row exercises_row(std::vector<Record> (*answer)()) { return {exercises_label, answer}; }

std::vector<const Record*> exercise_records(const Inputs& inputs, std::string_view table) {
  return records_of(inputs.document, table, exercises_label);
}

void add_exercises(const Inputs& inputs, std::string_view table, std::span<const Remark> remarks,
                   const Measurable& measurable, Report& report) {
  const auto records = exercise_records(inputs, table);
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"row", true}, {"exercise", true}, {"text's answer"}, {"model"}};
  if (!measurable.exercises.empty()) grid.columns.push_back({"measured here"});
  for (const Json& row : exercises_of(inputs.slide)) {
    const std::string exercise = row.at(1);
    const Quantity* model = quantity_of(records, exercise, false);
    const std::string no_value = records.empty() ? why_absent(inputs.document, table, exercises_label) : "-";
    Finding finding = finds(row, model, remarks);
    std::string answer = with_unit(printed(row.at(2)), row);
    if (finding.holds == false) answer += " (!)";
    grid.rows.push_back(
        {row.at(0), exercise, std::move(answer), model ? text_of(values_of(*model)) : no_value});
    if (!measurable.exercises.empty())
      grid.rows.back().push_back(measured_cell(records, exercise, measurable));
    report.findings.push_back(std::move(finding));
  }
  if (std::ranges::any_of(report.findings, [](const Finding& finding) { return finding.holds == false; }))
    report.notes.push_back("(!): not what the model comes to.");
}

}  // namespace tallcache
