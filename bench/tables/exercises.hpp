// Worked numbers of the texts beside what a model makes of them: tables whose rows are exercises.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/tables/table.hpp"

namespace tallcache {

/// What models make of the exercises of one table. The table's entry in tables.json has an exercise a row, or
/// an "exercises" entry a piece where its rows are something else: the id of the texts' row that it is of,
/// what is asked, the printed answer and its unit. An answer is a number or a list of numbers.
class Answers {
 public:
  explicit Answers(std::string_view table);

  /// The answer to the exercise of that name, in its unit. Throws Error with the nearest name when the
  /// table's entry has none.
  void put(std::string_view exercise, double value, Origin origin, std::string_view model);
  void put(std::string_view exercise, std::vector<double> values, Origin origin, std::string_view model);

  /// One record of all.
  const Record& record() const { return record_; }

 private:
  Quantity quantity(std::string_view exercise, Origin origin, std::string_view model) const;

  std::string_view table_;
  Record record_;
};

/// The exercises of a table's entry in tables.json.
const Json& exercises_of(const Json& slide);

/// What a report says of an exercise beyond its figures.
struct Remark {
  std::string_view exercise;
  std::string_view differs;   ///< why the model's answer is another than the printed one
  std::string_view agrees{};  ///< what explains that it is the same
};

/// The row of a table that answers all its exercises.
Row exercises_row(std::vector<Record> (*answer)());

/// The exercises that could be measured here, and what that needs.
struct Measurable {
  std::span<const std::string_view> exercises{};
  std::string_view needs{};
  /// The figure of one of them where it was measured in another row of the table; else NaN.
  std::function<double(std::string_view)> elsewhere{};
};

/// A grid of all exercises, "text's answer, model, measured here", and a finding each: it holds when the
/// model's answer is the printed one, to half a unit of its last digit. Without records, or where the model
/// is silent, it is undecided.
void add_exercises(const Inputs&, std::string_view table, std::span<const Remark> remarks,
                   const Measurable& measurable, Report&);

/// The records of exercises_row(); empty where there are none.
std::vector<const Record*> exercise_records(const Inputs&, std::string_view table);

/// A number with all its digits before the point, and at least six: 53417064800, 66.2636.
std::string digits(double value);

}  // namespace tallcache
