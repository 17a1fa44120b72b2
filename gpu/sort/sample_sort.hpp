// A stable sample sort on the GPU, whose parts are bounded whatever the keys are: tiles are sorted first, and
// regular samples of sorted sequences divide their merge among blocks.
#pragma once

#include "common/ops/sort.hpp"
#include "gpu/sort/multiway_merge.hpp"

namespace tallcache::gpu::sort {

struct sample_sort : OnGpu {
  static constexpr std::string_view idea =
      "tiles sorted in shared memory, then up to 170 sequences merged in one pass over the keys: regular samples "
      "divide the merge into buckets that fit into shared memory whatever the keys are; stable";
  static constexpr std::string_view source =
      "Shi and Schaeffer 1992; Dehne and Zaboli 2012; Green, McColl and Bader 2012";
  static constexpr std::string_view uses = "CUB: the prefix sums of blocks";
  using operations = OperationList<Sort, SortOf<std::uint64_t>, SortOf<double>, SortOf<KeyAndPosition>>;
  static constexpr ParamSpec params[] = {
      {"ways", 0, "sequences that are merged at a time, 2 to 170; 0: by n", 0}};

  template <class Device = const Launch, class T>
  static std::size_t scratch(SortOf<T>, const Shape& shape, const Params& params) {
    using Tile = TileOf<sizeof(T)>;
    const Index n = shape["n"], ways = params["ways"];
    return scratch_bytes({checked_product(n, sizeof(T), "keys"),
                          Splitters<T, Plain>::bytes(splitters_of<Tile>(n, ways), ways_of<Tile>(n, ways))});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    sort_keys(device, args.keys, args.scratch, params["ways"], Ascending{});
  }

 private:
  /// The most splitters of a level.
  template <class Tile>
  static Index splitters_of(Index n, Index ways) {
    Index most = 0;
    for_each_level<Tile>(n, ways,
                         [&](const LevelPlan<Tile>& plan) { most = std::max(most, plan.splitters()); });
    return most;
  }

  template <class Device, class T, class Access, class Less>
  static void sort_keys(Device& device, VectorView<T, Access> keys, Scratch<Access> scratch, Index ways,
                        Less less) {
    using Tile = TileOf<sizeof(T)>;
    if (keys.size == 0) return;
    check_alignment(keys);
    const auto other = scratch.template vector<T>(keys.size);
    const Splitters<T, Access> splitters(scratch, splitters_of<Tile>(keys.size, ways),
                                         ways_of<Tile>(keys.size, ways));
    int levels = 0;
    for_each_level<Tile>(keys.size, ways, [&](const LevelPlan<Tile>&) { ++levels; });
    // The last level writes `keys`.
    bool in_other = levels % 2;
    sort_tiles<Tile, T, Access>(device, keys, in_other ? other : keys, less);
    for_each_level<Tile>(keys.size, ways, [&](const LevelPlan<Tile>& plan) {
      const VectorView<const T, Access> in = in_other ? other : keys;
      merge_level<Tile, T, Access>(device, plan, in, in_other ? keys : other, splitters, less);
      in_other = !in_other;
    });
  }
};

}  // namespace tallcache::gpu::sort
