#include "bench/studies/ranks/mpi/timing.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "bench/studies/ranks/over_ranks.hpp"
#include "common/measure/statistics.hpp"

namespace tallcache {
void put_time(Record& record, const std::vector<double>& samples, const char* unit, double work) {
  record.quantities.push_back({.name = "time",
                               .unit = "s",
                               .value = median(samples),
                               .spread = median_absolute_deviation(samples),
                               .samples = samples});
  record.quantities.push_back({.name = "work", .unit = unit, .value = work, .origin = Origin::formula});
}

void put_phase(Record& record, const mpi::World& world, int repetitions, const char* phase, double seconds) {
  const double mean = mpi::sum_over(world.comm(), seconds) / world.size() / repetitions;
  record.quantities.push_back({.name = "time", .unit = "s", .value = mean, .at = {{"phase", phase}}});
}

void put_levels(Record& record, const mpi::World& world, std::span<const ranks::Traffic> mine) {
  static_assert(sizeof(ranks::Traffic) == 3 * sizeof(Index));
  const int count = static_cast<int>(mine.size()) * 3;
  std::vector<ranks::Traffic> all(mine.size() * static_cast<std::size_t>(world.size()));
  MPI_Gather(mine.data(), count, MPI_LONG, all.data(), count, MPI_LONG, 0, world.comm());
  for (Index rank = 0; world.rank() == 0 && rank < std::min<Index>(world.size(), most_told); ++rank)
    add_levels(record, rank,
               std::span(all).subspan(static_cast<std::size_t>(rank) * mine.size(), mine.size()),
               Origin::event);
}

}  // namespace tallcache
