// A stable sample sort on the GPU: samples divide the keys into buckets, level by level, until a block sorts
// what is left in its shared memory.
#pragma once

#include "common/ops/sort.hpp"
#include "gpu/sort/leaves.hpp"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::sort {

/// The working memory of sort_by_samples.
template <class Tile, class T>
std::size_t sample_sort_scratch(Index n, Index ways) {
  return scratch_bytes({checked_product(n, sizeof(T), "keys"),
                        Tables<T, Plain>::bytes(DistributionPlan(n, Tile::tile, max_piece<T>, ways))});
}

/// Sorts `keys` by `less`, stably. ways: the buckets of a level, at most.
template <class Tile, class Device, class T, class Access, class Less>
void sort_by_samples(Device& device, VectorView<T, Access> keys, Scratch<Access> scratch, Index ways,
                     Less less) {
  if (keys.size == 0) return;
  check_alignment(keys);
  const DistributionPlan plan(keys.size, Tile::tile, max_piece<T>, ways);
  const auto other = scratch.template vector<T>(keys.size);
  const Tables<T, Access> tables(scratch, plan);
  const auto less_of = [&](bool first, bool last) {
    Less own = less;
    if constexpr (sorts_codes<Less>) own.first = first, own.last = last;
    return own;
  };
  if (plan.levels == 0) return sort_tiles<Tile, T, Access>(device, keys, keys, less_of(true, true));
  // The last level writes `other`, and the first one may write in its place.
  VectorView<T, Access> in = keys;
  for (int i = 0; i < plan.levels; ++i) {
    const auto &own = tables.level[i], &from = tables.level[i ? i - 1 : 0];
    const auto& next = tables.level[own.last ? i : i + 1];
    const DistributionPlan::Level& of = plan.level[i];
    const auto splitter = tables.splitter[i];
    const VectorView<T, Access> out = (plan.levels - i) % 2 ? other : keys;
    const auto less_here = less_of(i == 0, false);
    const auto blocks = [&](Index most, int at_once) {
      return Dim{grid_of(std::min<Index>(most, at_once * multiprocessors_of(device)))};
    };
    const unsigned threads = sample_threads<T>(of.bits);
    const auto zeroed = i == 0 ? tables.zeroed : tables.zeroed.block(0, 0);
    launch_early(device, FindSplitters<T, Less>{},
                 {blocks(std::max(of.segments, ceil_div(zeroed.size, 16 * threads)), 2),
                  {threads},
                  threads * SampleShape<T>::keys * sizeof(T)},
                 own, from, in, splitter, zeroed, less_here);
    launch_early(device, SpreadPieces<T, Less>{},
                 {blocks(of.pieces, 2), {spread_threads}, max_piece<T> * sizeof(T)}, own, from, in, splitter,
                 out, less_here);
    launch_early(device, DivideSegments<T, Less>{}, {blocks(of.segments * plan.row(i), 4), {spread_threads}},
                 own, splitter, own.last ? tables.leaves : next.segments, next.segment_of, less_here);
    in = out;
  }
  for (int c = plan.classes.number - 1; c >= 0; --c) {
    const Index size = plan.classes.keys[c], at_once = Tile::min_blocks * Tile::tile / size;
    launch_early(device, SortLeaves<Tile, T, Less>{},
                 {{grid_of(std::min<Index>(plan.leaves, at_once * multiprocessors_of(device)))},
                  {static_cast<unsigned>(size / Tile::keys)},
                  static_cast<std::size_t>(size) * sizeof(T)},
                 tables.level[plan.levels - 1], tables.leaves, c, in, keys, less_of(false, true));
  }
}

/// Doubles as the integers that lie in their memory.
template <class Access>
VectorView<std::uint64_t, Access> codes_of(const VectorView<double, Access>& keys) {
  return VectorView<std::uint64_t>{reinterpret_cast<std::uint64_t*>(keys.data), keys.size}.with(
      keys.access());
}

struct sample_sort : OnGpu {
  static constexpr std::string_view idea =
      "a sample divides each segment into up to 256 buckets, pieces are stored in their order and read run "
      "by run, and a block sorts what the last level leaves together; stable; "
      "applies coalescing, tiling, coarsening, occupancy";
  static constexpr std::string_view source = "Sanders, Winkel 2004; Green, McColl and Bader 2012";
  using operations = OperationList<Sort, SortOf<std::uint64_t>, SortOf<double>, SortOf<KeyAndPosition>>;
  static constexpr ParamSpec params[] = {
      {"ways", 0, "buckets of a level, at most, 2 to 256; 0: as suits the device", 0}};

  template <class Device = const Launch, class T>
  static std::size_t scratch(SortOf<T>, const Shape& shape, const Params& params) {
    return sample_sort_scratch<LeafOf<sizeof(T)>, T>(shape["n"], ways_of<Device, T>(params));
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    using T = typename decltype(args.keys)::value_type;
    const Index ways = ways_of<Device, T>(params);
    if constexpr (std::is_floating_point_v<T>)
      sort_by_samples<LeafOf<sizeof(T)>>(device, codes_of(args.keys), args.scratch, ways, AscendingCodes{});
    else
      sort_by_samples<LeafOf<sizeof(T)>>(device, args.keys, args.scratch, ways, Ascending{});
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
