// A level from below: every vertex that is not reached looks for an edge out of what is.
#pragma once

#include "gpu/bfs/incoming_edges.cuh"

namespace tallcache::gpu::bfs {

/// One step over the bits of all vertices. A vertex is found when any vertex before it has been reached: had
/// that been before the last level, it would itself have been found by then, so that no bits of the last
/// level alone are needed. What a step finds is in bits of its own until the next.
class BottomUp {
 public:
  static constexpr int most_words = 16;           ///< of bits that a warp takes at once
  static constexpr std::uint32_t own_edges = 32;  ///< that a lane looks at before the warp does so together

  struct Memory {
    std::uint16_t open[most_words * warp];
    Word found[most_words];
  };

  __device__ BottomUp(Memory& memory, Index vertices, const IncomingEdges& incoming, Level* out, Level level,
                      const Word* visited, Word* next)
      : memory_(memory),
        vertices_(vertices),
        incoming_(incoming),
        out_(out),
        level_(level),
        visited_(visited),
        next_(next) {}

  /// The number of vertices that this warp has found, the same in all lanes.
  __device__ std::uint32_t run(const WarpPlace& place) {
    lane_ = place.lane;
    const Index words = ceil_div(vertices_, Index{warp});
    const Index each = min(Index{most_words}, max(Index{1}, words / place.warps));
    std::uint32_t found = 0;
    for (first_ = place.number * each; first_ < words; first_ += place.warps * each)
      found += search(static_cast<int>(min(each, words - first_)));
    return __reduce_add_sync(all_lanes, found);
  }

 private:
  /// `words` words from first_ on; what the lane's word has won.
  __device__ std::uint32_t search(int words) {
    Word reached = 0, open = 0;
    if (lane_ < words) {
      reached = visited_[first_ + lane_];
      open = __ldg(incoming_.has_any + first_ + lane_) & ~reached;
      memory_.found[lane_] = 0;
    }
    int number = list(open, words);
    Word found = 0;
    if (number) {
      number = look_at_likely(number);
      look_at_edges(number);
      __syncwarp();
      if (lane_ < words) found = memory_.found[lane_];
      __syncwarp();
    }
    if (lane_ < words) next_[first_ + lane_] = reached | found;
    return __popc(found);
  }

  /// Lists the vertices of open bits, so that all lanes have one.
  __device__ int list(Word open, int words) {
    int number = 0;
    for (int k = 0; k < words; ++k) {
      const Word word = __shfl_sync(all_lanes, open, k);
      if (word >> lane_ & 1)
        memory_.open[number + __popc(word & lanes_before(lane_))] =
            static_cast<std::uint16_t>(k * warp + lane_);
      number += __popc(word);
    }
    __syncwarp();
    return number;
  }

  __device__ bool is_reached(Vertex u) const { return visited_[u / warp] >> u % warp & 1; }

  __device__ void set_found(int own) {
    out_[first_ * warp + own] = level_;
    atomicOr(memory_.found + own / warp, Word{1} << own % warp);
  }

  /// At the vertex before each that was likely reached. Lists those that are left.
  __device__ int look_at_likely(int number) {
    constexpr int at_a_time = 4;
    int left = 0;
    for (int i = 0; i < number; i += at_a_time * warp) {
      int own[at_a_time];
      Vertex likely[at_a_time];
#pragma unroll
      for (int k = 0; k < at_a_time; ++k) {
        own[k] = i + k * warp + lane_ < number ? memory_.open[i + k * warp + lane_] : -1;
        likely[k] = own[k] < 0 ? 0 : __ldg(incoming_.likely + first_ * warp + own[k]);
      }
      bool has_reached[at_a_time];
#pragma unroll
      for (int k = 0; k < at_a_time; ++k) has_reached[k] = own[k] >= 0 && is_reached(likely[k]);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < at_a_time; ++k) {
        if (has_reached[k]) set_found(own[k]);
        const unsigned lanes = __ballot_sync(all_lanes, own[k] >= 0 && !has_reached[k]);
        if (lanes >> lane_ & 1)
          memory_.open[left + __popc(lanes & lanes_before(lane_))] = static_cast<std::uint16_t>(own[k]);
        left += __popc(lanes);
      }
      __syncwarp();
    }
    return left;
  }

  /// At the edges into each: a lane at the first of them, the warp at the others.
  __device__ void look_at_edges(int number) {
    for (int i = 0; i < number; i += warp) {
      int own = 0;
      std::uint32_t edge = 0, end = 0;
      bool is_found = false;
      if (i + lane_ < number) {
        own = memory_.open[i + lane_];
        edge = __ldg(incoming_.offset + first_ * warp + own);
        end = __ldg(incoming_.offset + first_ * warp + own + 1);
        for (std::uint32_t left = min(end - edge, own_edges); left && !is_found;) {
          const std::uint32_t taken = min(left, at_once);
          is_found = any_reached(edge, taken);
          edge += taken, left -= taken;
        }
      }
      for (unsigned lanes = __ballot_sync(all_lanes, !is_found && edge < end); lanes; lanes &= lanes - 1) {
        const int owner = __ffs(static_cast<int>(lanes)) - 1;
        const bool found =
            warp_finds(__shfl_sync(all_lanes, edge, owner), __shfl_sync(all_lanes, end, owner));
        if (lane_ == owner) is_found = found;
      }
      if (is_found) set_found(own);
    }
  }

  static constexpr std::uint32_t at_once = 4;

  __device__ bool any_reached(std::uint32_t edge, std::uint32_t edges) const {
    Vertex from[at_once];
#pragma unroll
    for (std::uint32_t k = 0; k < at_once; ++k) from[k] = __ldg(incoming_.from + edge + (k < edges ? k : 0));
    bool any = false;
#pragma unroll
    for (std::uint32_t k = 0; k < at_once; ++k) any |= is_reached(from[k]);
    return any;
  }

  __device__ bool warp_finds(Index edge, Index end) const {
    for (; edge < end; edge += warp)
      if (__any_sync(all_lanes, edge + lane_ < end && is_reached(__ldg(incoming_.from + edge + lane_))))
        return true;
    return false;
  }

  Memory& memory_;
  Index vertices_, first_ = 0;
  const IncomingEdges& incoming_;
  Level* out_;
  Level level_;
  const Word* visited_;
  Word* next_;
  int lane_ = 0;
};

}  // namespace tallcache::gpu::bfs
