#include "bench/studies/ranks/mpi/checks.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "common/random.hpp"

namespace tallcache {

using ranks::Distribution;
using ranks::Rectangle;

double value_at(std::uint64_t seed, const Distribution& d, Index i, Index j) {
  return 2 * random_unit(seed, static_cast<std::uint64_t>(i * d.cols() + j)) - 1;
}

void fill(const Distribution& d, Index rank, std::uint64_t seed, double* memory) {
  for (const Rectangle& r : d.all())
    for (Index i = 0; r.rank == rank && i < r.box.rows; ++i)
      for (Index j = 0; j < r.box.cols; ++j)
        memory[r.offset + i * r.row_stride + j * r.col_stride] =
            value_at(seed, d, r.box.row + i, r.box.col + j);
}

void poison(const Distribution& d, Index rank, double* memory) {
  std::fill_n(memory, d.words(rank), std::nan(""));
}

std::string check_parts(const mpi::World& world, const Distribution& d, const double* memory,
                        const ElementCheck& check) {
  constexpr std::uint64_t looks = 24;
  std::vector<const Rectangle*> own;
  for (const Rectangle& r : d.all())
    if (r.rank == world.rank()) own.push_back(&r);
  std::string wrong;
  for (std::uint64_t look = 0; look < looks && wrong.empty() && !own.empty(); ++look) {
    const auto pick = [&](std::uint64_t stream, std::size_t count) {
      return look == 0 ? 0 : look == 1 ? count - 1 : random_up_to(stream, look, count - 1);
    };
    const Rectangle& r = *own[pick(71, own.size())];
    const auto i = static_cast<Index>(pick(72, static_cast<std::size_t>(r.box.rows)));
    const auto j = static_cast<Index>(pick(73, static_cast<std::size_t>(r.box.cols)));
    wrong = check(r.box.row + i, r.box.col + j, memory[r.offset + i * r.row_stride + j * r.col_stride]);
  }
  try {
    mpi::require_none(world.comm(), wrong);
    return {};
  } catch (const mpi::SharedError& error) {
    return error.what();
  }
}

Resident resident_memory() {
  std::ifstream file("/proc/self/smaps_rollup");
  double all = 0, shared = 0, kib = 0;
  for (std::string word; file >> word;) {
    if (word == "Pss:" && file >> kib) all = kib * 1024;
    if (word == "Pss_Shmem:" && file >> kib) shared = kib * 1024;
  }
  return {all - shared, shared};
}

}  // namespace tallcache
