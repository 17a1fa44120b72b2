// The charts that several reports share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/show/blocks.hpp"

namespace tallcache {

Family family_of(const Record&);

/// The texts' own cache-oblivious recursions (REC-MULT, REC-TRANSPOSE) go by this name. Charts stress them.
inline constexpr std::string_view cache_oblivious = "recursive";

/// A record's rate at `x`, with the rates of its median time one median absolute deviation earlier and later.
ChartPoint rate_point(const Record&, double x);

/// A record as a row: its rate with the spread, by the name of its variant.
Ranking::Item rate_item(const Record&);

/// The rooflines (Williams, Waterman, Patterson, Roofline: An Insightful Visual Performance Model, CACM 2009)
/// of each machine, element type and backend for which one of the documents has a peak: min(peak, intensity x
/// bandwidth) on one core and on all, and each timed record that counts flops at its minimum traffic, once.
class Rooflines {
 public:
  void add(const Document&);
  /// By machine. The fastest of each problem has its name and sizes beside it.
  std::map<std::string, std::vector<Chart>> charts() const;

 private:
  struct Point {
    ChartPoint at;
    Family family;
    std::string operation, sizes;
    std::string problem() const { return operation + sizes; }
  };
  using Key = std::tuple<std::string, std::string, std::string>;  ///< the machine, the backend, the element
  std::map<Key, std::vector<Record>> limits_;
  std::map<Key, std::map<std::string, Point>> points_;  ///< the fastest of each name
};

/// The rate over the error of every record that has both, for each operation and shape.
std::vector<Chart> errors_beside_speeds(const Document&);

}  // namespace tallcache
