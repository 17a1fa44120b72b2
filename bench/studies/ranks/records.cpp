#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/studies/ranks/over_ranks.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

constexpr const char* text_of(Origin origin) {
  return origin == Origin::event ? "MPI messages" : "layout of the text";
}

}  // namespace

ranks::MatmulShape matmul_shape(const RanksOptions& options) {
  const Shape shape = parse_shape(find_operation("matmul", "double"),
                                  options.shape.empty() ? "m=8192,n=8192,k=8192" : options.shape);
  return {.m = shape["m"], .n = shape["n"], .k = shape["k"]};
}

Json to_json(const ranks::MatmulShape& shape) { return {{"m", shape.m}, {"k", shape.k}, {"n", shape.n}}; }

Record ranks_record(std::string_view operation, std::string_view variant, const Json& shape, Index ranks,
                    int threads) {
  return {.operation = std::string(operation),
          .variant = std::string(variant),
          .backend = "cpu",
          .element = "double",
          .shape = shape,
          .input = "uniform",
          .threads = threads,
          .conditions = {{"ranks", ranks}},
          .outcome = {Status::measured, ""}};
}

void add_words(Record& record, const ranks::Plan& plan, const ranks::MatmulShape& shape, double max_words,
               double max_messages, Origin origin, bool one_machine) {
  const auto put = [&](const char* name, const char* unit, double value, Origin from, std::string detail) {
    record.quantities.push_back(
        {.name = name, .unit = unit, .value = value, .origin = from, .detail = std::move(detail)});
  };
  const double ranks = record.conditions.at("ranks").get<double>();
  put("words", "1", max_words, origin, text_of(origin));
  put("messages", "1", max_messages, origin, text_of(origin));
  if (plan.turns() == 1)
    put("formula", "1", ranks::words_by_formula(shape, grid_of(plan)), Origin::formula,
        "(mnk/P) (pm/m + pn/n + pk/k) - (mn + mk + nk)/P");
  put("bound", "1", ranks::words_bound(shape, ranks), Origin::formula,
      "Al Daas, Ballard, Grigori, Kumar, Rouse 2022");
  put("accessed over bound", "1",
      (max_words + static_cast<double>(plan.owned(0, 0) + plan.owned(1, 0) + plan.owned(2, 0))) /
          ranks::accessed_bound(shape, ranks),
      origin, text_of(origin));
  put("memory", "B", static_cast<double>(need_of(plan, one_machine).total()), Origin::formula,
      "of the rank with the most");
}

void add_levels(Record& record, Index rank, std::span<const ranks::Traffic> levels, Origin origin) {
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const Json at{{"rank", rank}, {"level", level + 1}};
    const auto put = [&](const char* name, Index value) {
      record.quantities.push_back({.name = name,
                                   .unit = "1",
                                   .value = static_cast<double>(value),
                                   .origin = origin,
                                   .detail = text_of(origin),
                                   .at = at});
    };
    put("words", levels[level].words_received);
    put("messages", levels[level].messages_received);
  }
}

std::string plan_text(const ranks::Plan& plan, Index ranks) {
  const ranks::Grid grid = grid_of(plan);
  std::string text =
      fmt::format("{} x {} x {} of {} rank{}", grid.m, grid.n, grid.k, ranks, ranks == 1 ? "" : "s");
  if (plan.ranks() < ranks) text += fmt::format(", {} idle", ranks - plan.ranks());
  if (plan.turns() > 1) text += fmt::format(", {} turns", plan.turns());
  return text;
}

}  // namespace tallcache
