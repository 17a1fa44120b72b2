// One line on a terminal: what is being measured and about how long the rest takes. Nothing where standard
// error is no terminal.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/document.hpp"
#include "bench/tables/table.hpp"

namespace tallcache {

class Progress {
 public:
  /// The rows that are to be measured, in order; how fast variants are as far as `document` tells.
  Progress(std::vector<const Row*> rows, const Document& document);

  void start(std::string_view table, const Row& row);
  void round(std::span<const Measurement> measurements);
  void done();

 private:
  double estimate(const Row&) const;
  void print(int repetitions);

  const bool shown_;
  const std::size_t rows_;  ///< in all
  std::vector<const Row*> left_;
  std::string current_;
  const Row* row_ = nullptr;
  double started_ = 0;
  std::map<std::string, double> seconds_per_unit_;  ///< by variant: of a flop, a byte or a key
};

}  // namespace tallcache
