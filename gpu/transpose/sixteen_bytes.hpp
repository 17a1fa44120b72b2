// B = A^T where every row starts at a multiple of 16 bytes: 16 bytes an access
// on both sides.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/strip_order.hpp"
#include "gpu/transpose/transposed_tile.hpp"

namespace tallcache::gpu::transpose {

template <int side, int threads, int lead>
struct TransposeChunks {
  static constexpr int max_threads = threads;

  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a, StripOrder order) const {
    using T = typename B::value_type;
    using SharedTile = TransposedTile<T, side, threads, lead>;
    auto&& tile = shared<0, typename SharedTile::Memory, 16>(t);
    const Tile first = order.origin(t);
    const typename SharedTile::Squares squares(t, a, first.col, first.row);
    const auto start = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(b.data + first.row * b.ld));
    const auto pitch = static_cast<unsigned>(b.ld * sizeof(T));
    const auto early = [=](int r) { return lead ? static_cast<int>((start + r * pitch) / 16 % 2) : 0; };
    SharedTile::load_transposed(t, tile, squares, early);
    t.sync();
    SharedTile::store(t, tile, b, first.row, first.col, early);
  }
};

struct sixteen_bytes : OnGpu {
  static constexpr std::string_view idea =
      "rows of whole 16 bytes: tiles with rows of 256 bytes, squares "
      "transposed in registers, 16 bytes an "
      "access, blocks along B's rows, as the recursion that halves B's rows "
      "first takes them; applies "
      "coalescing, tiling, coarsening";
  static constexpr std::string_view source = "M6: REC-TRANSPOSE, on the GPU; M16: bank conflicts";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  static bool supports(const Shape& shape) {
    return (shape["n"] + shape["pad"]) % 4 == 0 && (shape["m"] + shape["pad"]) % 4 == 0;
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using T = typename decltype(args.b)::value_type;
    if (!rows_are_chunks(args.a) || !rows_are_chunks(args.b))
      throw Error("sixteen_bytes: a row starts at no multiple of 16 bytes");
    if (args.b.ld * sizeof(T) % 32 == 0 && reinterpret_cast<std::uintptr_t>(args.b.data) % 32 == 0)
      start<0>(device, args.b, args.a);
    else
      start<1>(device, args.b, args.a);
  }

 private:
  template <int lead, class Device, class B, class A>
  static void start(Device& device, const B& b, const A& a) {
    using T = typename B::value_type;
    constexpr int side = 256 / sizeof(T), threads = 256;
    if (b.rows == 0 || b.cols == 0) return;
    StripOrder order(Tiling(b.rows, b.cols + lead * Chunk<T>::size, side, side));
    order.spread_over_channels(a);
    launch_kernel(device, TransposeChunks<side, threads, lead>{}, {{order.tiling.grid()}, {threads}}, b, a,
                  order);
  }
};

}  // namespace tallcache::gpu::transpose
