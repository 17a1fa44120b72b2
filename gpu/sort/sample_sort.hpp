// A stable sample sort on the GPU, whose parts are bounded whatever the keys are: tiles are sorted first, and
// regular samples of sorted sequences divide their merge among blocks.
#pragma once

#include "common/ops/sort.hpp"
#include "gpu/sort/multiway_merge.hpp"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::sort {

/// The working memory of the levels: the most that one of them needs.
template <class Tile, class T>
struct SplitterMemory {
  Index splitters = 0, positions = 0;

  SplitterMemory(Index n, Index ways) {
    for_each_level<Tile>(n, ways, [this](const LevelPlan<Tile>& plan) {
      splitters = std::max(splitters, plan.splitters());
      positions = std::max(positions, checked_positions(plan));
    });
  }
  std::size_t bytes() const { return Splitters<T, Plain>::bytes(splitters, positions); }

 private:
  static Index checked_positions(const LevelPlan<Tile>& plan) {
    if (plan.sequences.length > std::numeric_limits<std::uint32_t>::max())
      throw Error("sort: sequences of more than 2^32 - 1 keys are not merged on a GPU");
    return plan.splitters() * plan.sequences.ways;
  }
};

/// The working memory of sort_by_samples.
template <class Tile, class T>
std::size_t sample_sort_scratch(Index n, Index ways) {
  return scratch_bytes({checked_product(n, sizeof(T), "keys"), SplitterMemory<Tile, T>(n, ways).bytes()});
}

/// Sorts `keys` by `less`, stably. ways: the sequences that are merged at a time, at most.
template <class Tile, class Device, class T, class Access, class Less>
void sort_by_samples(Device& device, VectorView<T, Access> keys, Scratch<Access> scratch, Index ways,
                     Less less) {
  if (keys.size == 0) return;
  check_alignment(keys);
  const auto other = scratch.template vector<T>(keys.size);
  const SplitterMemory<Tile, T> memory(keys.size, ways);
  const Splitters<T, Access> splitters(scratch, memory.splitters, memory.positions);
  int levels = 0;
  for_each_level<Tile>(keys.size, ways, [&](const LevelPlan<Tile>&) { ++levels; });
  bool in_other = levels % 2;  // the last level writes `keys`
  const auto less_of = [&](bool last) {
    Less own = less;
    if constexpr (sorts_codes<Less>) own.last = last;
    return own;
  };
  sort_tiles<Tile, T, Access>(device, keys, in_other ? other : keys, less_of(levels == 0));
  for_each_level<Tile>(keys.size, ways, [&](const LevelPlan<Tile>& plan) {
    const VectorView<const T, Access> in = in_other ? other : keys;
    merge_level<Tile, T, Access>(device, plan, in, in_other ? keys : other, splitters,
                                 less_of(--levels == 0));
    in_other = !in_other;
  });
}

/// Doubles as the integers that lie in their memory.
template <class Access>
VectorView<std::uint64_t, Access> codes_of(const VectorView<double, Access>& keys) {
  return VectorView<std::uint64_t>{reinterpret_cast<std::uint64_t*>(keys.data), keys.size}.with(
      keys.access());
}

struct sample_sort : OnGpu {
  static constexpr std::string_view idea =
      "tiles sorted in shared memory, then 32 sequences at a time merged in one pass over the keys: regular "
      "samples divide the merge into buckets that fit into shared memory whatever the keys are; stable; "
      "applies coalescing, tiling, coarsening, occupancy";
  static constexpr std::string_view source =
      "Shi and Schaeffer 1992; Dehne and Zaboli 2012; Green, McColl and Bader 2012";
  using operations = OperationList<Sort, SortOf<std::uint64_t>, SortOf<double>, SortOf<KeyAndPosition>>;
  static constexpr ParamSpec params[] = {
      {"ways", 0, "sequences that are merged at a time, at most, 2 to 128; 0: as suits the device", 0}};

  template <class Device = const Launch, class T>
  static std::size_t scratch(SortOf<T>, const Shape& shape, const Params& params) {
    return sample_sort_scratch<TileOf<sizeof(T)>, T>(shape["n"], ways_of<Device, T>(params));
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    using T = typename decltype(args.keys)::value_type;
    const Index ways = ways_of<Device, T>(params);
    if constexpr (std::is_floating_point_v<T>)
      sort_by_samples<TileOf<sizeof(T)>>(device, codes_of(args.keys), args.scratch, ways, AscendingCodes{});
    else
      sort_by_samples<TileOf<sizeof(T)>>(device, args.keys, args.scratch, ways, Ascending{});
  }

 private:
  template <class Device, class T>
  static Index ways_of(const Params& params) {
    const Tuning& tuning = tuning_of<Device>();
    const int suits = sizeof(T) == 4   ? tuning.sort_ways_4
                      : sizeof(T) == 8 ? tuning.sort_ways_8
                                       : tuning.sort_ways_16;
    return params["ways"] ? params["ways"] : suits;
  }
};

}  // namespace tallcache::gpu::sort
