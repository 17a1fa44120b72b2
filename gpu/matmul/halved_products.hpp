// Products by seven products of half the size: Strassen's and Winograd's. The sums of quadrants are made in
// one pass over a factor, and so are the quadrants of C over the seven products.
#pragma once

#include <algorithm>
#include <array>

#include "common/ops/matmul.hpp"
#include "gpu/chunk.hpp"
#include "gpu/matmul/leaf_variant.hpp"
#include "gpu/matmul/vector_loads.hpp"
#include "gpu/matmul/warp_tiles.hpp"

namespace tallcache::gpu::matmul {

/// Where the left or the right factor of each of the seven products lies: 0 to 3 are the quadrants 11, 12, 21
/// and 22, 4 + s is sum s.
using SevenFactors = std::array<int, 7>;

constexpr int halves_threads = 256;

/// Chunks number id, id + threads, ... of the rows x cols elements of a quadrant.
struct ChunksOfQuadrant {
  Index rows, chunks;  ///< of a row

  template <class T>
  static ChunksOfQuadrant of(Index rows, Index cols) {
    return {rows, cols / Chunk<T>::size};
  }
  unsigned blocks() const { return grid_of(ceil_div(rows * chunks, Index{halves_threads})); }

  template <class Thread>
  TALLCACHE_DEVICE Tile at(const Thread& t) const {
    const Index number = static_cast<Index>(t.block().x) * halves_threads + t.thread().x;
    return {number / chunks, number % chunks};
  }
};

/// sums = the sums of the quadrants of `from` that a form needs: matrices of the quadrants' size, one below
/// the other. `of_a` says of which factor. All rows start at multiples of 16 bytes.
template <class Form, bool of_a>
struct SumQuadrants {
  static constexpr int max_threads = halves_threads;

  template <class Thread, class Sums, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, Sums sums, From from, ChunksOfQuadrant chunks) const {
    using T = typename From::value_type;
    constexpr int size = Chunk<T>::size;
    const Tile at = chunks.at(t);
    if (at.row >= chunks.rows) return;
    const Index i = at.row, j = at.col * size, cols = chunks.chunks * size;
    const Chunk<T> x11 = vector_at<size>(from(i, j)), x12 = vector_at<size>(from(i, j + cols)),
                   x21 = vector_at<size>(from(i + chunks.rows, j)),
                   x22 = vector_at<size>(from(i + chunks.rows, j + cols));
    Chunk<T> sum[Form::sums];
#pragma unroll
    for (int e = 0; e < size; ++e) {
      T of_element[Form::sums];
      if constexpr (of_a)
        Form::sums_of_a(of_element, x11.at[e], x12.at[e], x21.at[e], x22.at[e]);
      else
        Form::sums_of_b(of_element, x11.at[e], x12.at[e], x21.at[e], x22.at[e]);
#pragma unroll
      for (int s = 0; s < Form::sums; ++s) sum[s].at[e] = of_element[s];
    }
#pragma unroll
    for (int s = 0; s < Form::sums; ++s) vector_at<size>(sums(i + s * chunks.rows, j)) = sum[s];
  }
};

/// The quadrants of C, of which each has one of the first four products, from them and from the other three.
template <class Form>
struct JoinProducts {
  static constexpr int max_threads = halves_threads;

  template <class Thread, class C>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, C others, ChunksOfQuadrant chunks) const {
    using T = typename C::value_type;
    constexpr int size = Chunk<T>::size;
    const Tile at = chunks.at(t);
    if (at.row >= chunks.rows) return;
    const Index i = at.row, j = at.col * size, rows = chunks.rows, cols = chunks.chunks * size;
    Chunk<T> p[7], of_c[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) p[q] = vector_at<size>(c(i + q / 2 * rows, j + q % 2 * cols));
#pragma unroll
    for (int q = 4; q < 7; ++q) p[q] = vector_at<size>(others(i + (q - 4) * rows, j));
#pragma unroll
    for (int e = 0; e < size; ++e) {
      T of_element[4];
      const T products[7] = {p[0].at[e], p[1].at[e], p[2].at[e], p[3].at[e],
                             p[4].at[e], p[5].at[e], p[6].at[e]};
      Form::join(of_element, products);
#pragma unroll
      for (int q = 0; q < 4; ++q) of_c[q].at[e] = of_element[q];
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) vector_at<size>(c(i + q / 2 * rows, j + q % 2 * cols)) = of_c[q];
  }
};

/// `to` = `from`, and zeros behind its rows and columns.
struct CopyPadded {
  static constexpr int max_threads = halves_threads;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, Tiling tiling) const {
    using T = typename To::value_type;
    const Tile at = tiling.origin(t);
    const Index i = at.row, j = at.col + t.thread().x;
    if (j >= to.cols) return;
    to(i, j) = i < from.rows && j < from.cols ? T(from(i, j)) : T{};
  }
};

/// The leaves: products by tiles, as the model has them.
template <class T, class Device>
struct LeafProduct {
  static std::size_t scratch(const Shape&) { return 0; }

  template <class Args>
  static void multiply(Device& device, const Args& args) {
    if constexpr (std::is_same_v<T, float>)
      warp_tiles::call(device, args, {{"order", order}, {"group", 16}});
    else
      vector_loads::call(device, args, {});
  }

  static constexpr Index order = static_cast<Index>(BlockOrder::recursive);
};

#ifdef __CUDACC__
/// On a device, those that suit their shape, of doubles on tensor cores.
template <class T>
struct LeafProduct<T, Launch> {
  static Params params() {
    if constexpr (std::is_same_v<T, float>) return {};
    return {{"order", static_cast<Index>(BlockOrder::recursive)}};
  }
  static std::size_t scratch(const Shape& shape) { return leaf_variant<T>().scratch(shape, params()); }
  static void multiply(const Launch& launch, const typename Matmul<T>::template Args<>& args) {
    leaf_variant<T>().entries.front()(&args, params(), launch);
  }
};
#endif

/// The recursion, of which each level starts its sums, seven products one after the other, and what joins
/// them.
template <class Form, class Device, class Args>
class HalvedProduct {
  using T = typename decltype(Args::c)::value_type;
  using C = decltype(Args::c);
  using A = decltype(Args::a);
  using Memory = decltype(Args::scratch);
  using Leaf = LeafProduct<T, std::remove_const_t<Device>>;

 public:
  static constexpr int least = 8;  ///< of a leaf's sides: below it the bound of the error class does not hold

  /// The levels that a product of this size has, at most `most`.
  static int levels_of(const Shape& shape, Index most) {
    int levels = 0;
    while (levels < most && std::min({shape["m"], shape["n"], shape["k"]}) >> (levels + 1) >= least) ++levels;
    return levels;
  }
  /// A size whose quadrants' rows are whole chunks on all levels.
  static Index padded(Index size, int levels) {
    const Index unit = Index{Chunk<T>::size} << levels;
    return levels == 0 ? size : ceil_div(size, unit) * unit;
  }
  /// Whether the matrices have to be copied to padded ones.
  static bool fits(const Args& args, int levels) {
    const auto whole = [levels](Index size) { return padded(size, levels) == size; };
    return levels == 0 || (whole(args.c.rows) && whole(args.c.cols) && whole(args.a.cols) &&
                           rows_are_chunks(args.c) && rows_are_chunks(args.a) && rows_are_chunks(args.b));
  }

  /// Of what multiply() takes of its memory.
  static std::size_t scratch(Index m, Index n, Index k, int levels) {
    if (levels == 0) return Leaf::scratch({{"m", m}, {"n", n}, {"k", k}, {"pad", 0}});
    const Index mh = m / 2, nh = n / 2, kh = k / 2;
    return scratch_bytes({bytes(Form::sums * mh, kh), bytes(Form::sums * kh, nh), bytes(3 * mh, nh)}) +
           scratch(mh, nh, kh, levels - 1);
  }
  static std::size_t bytes(Index rows, Index cols) { return matrix_bytes<T>(rows, cols, 0); }

  /// C = A B. The sizes are padded ones.
  static void multiply(Device& device, const C& c, const A& a, const A& b, Memory memory, int levels) {
    if (levels == 0) return Leaf::multiply(device, Args{c, a, b, memory});
    const Index m = c.rows / 2, n = c.cols / 2, k = a.cols / 2;
    const C a_sums = memory.template matrix<T>(Form::sums * m, k),
            b_sums = memory.template matrix<T>(Form::sums * k, n);
    const C others = memory.template matrix<T>(3 * m, n);
    const auto of_a = ChunksOfQuadrant::of<T>(m, k), of_b = ChunksOfQuadrant::of<T>(k, n),
               of_c = ChunksOfQuadrant::of<T>(m, n);
    launch_kernel(device, SumQuadrants<Form, true>{}, {{of_a.blocks()}, {halves_threads}}, a_sums, a, of_a);
    launch_kernel(device, SumQuadrants<Form, false>{}, {{of_b.blocks()}, {halves_threads}}, b_sums, b, of_b);
    const auto factor = [](const A& x, const A& sums, int place, Index rows, Index cols) {
      return place < 4 ? x.block(place / 2 * rows, place % 2 * cols, rows, cols)
                       : sums.block((place - 4) * rows, 0, rows, cols);
    };
    for (int p = 0; p < 7; ++p)
      multiply(device, p < 4 ? c.block(p / 2 * m, p % 2 * n, m, n) : others.block((p - 4) * m, 0, m, n),
               factor(a, a_sums, Form::left[p], m, k), factor(b, b_sums, Form::right[p], k, n), memory,
               levels - 1);
    launch_kernel(device, JoinProducts<Form>{}, {{of_c.blocks()}, {halves_threads}}, c, others, of_c);
  }
};

template <class Device, class To, class From>
void copy_padded(Device& device, const To& to, const From& from) {
  const Tiling tiling(to.rows, to.cols, 1, halves_threads);
  launch_kernel(device, CopyPadded{}, {{tiling.grid()}, {halves_threads}}, to, from, tiling);
}

/// The base of both variants.
template <class Form>
struct HalvedProducts : OnGpu {
  using operations = OperationList<Matmul<float>, Matmul<double>>;
  static constexpr ErrorClass error_class = ErrorClass::normwise;
  static constexpr Index level_choices[2] = {1, 2};
  static constexpr ParamSpec params[1] = {
      {"levels", 1, "of halving; fewer where a leaf would have a side below 8", 1, level_choices}};

  template <class Device = const Launch, class T>
  static std::size_t scratch(Matmul<T>, const Shape& shape, const Params& params) {
    using Product = HalvedProduct<Form, Device, typename Matmul<T>::template Args<>>;
    const int levels = Product::levels_of(shape, params["levels"]);
    if (levels == 0) return Product::scratch(shape["m"], shape["n"], shape["k"], 0);
    const Index m = Product::padded(shape["m"], levels), n = Product::padded(shape["n"], levels),
                k = Product::padded(shape["k"], levels);
    // A caller's rows may start anywhere, whatever the sizes.
    return scratch_bytes({Product::bytes(m, n), Product::bytes(m, k), Product::bytes(k, n)}) +
           Product::scratch(m, n, k, levels);
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    using Product = HalvedProduct<Form, Device, Args>;
    using T = typename decltype(args.c)::value_type;
    if (args.c.rows == 0 || args.c.cols == 0) return;
    const Shape shape{{"m", args.c.rows}, {"n", args.c.cols}, {"k", args.a.cols}};
    const int levels = Product::levels_of(shape, params["levels"]);
    auto scratch = args.scratch;
    if (Product::fits(args, levels))
      return Product::multiply(device, args.c, args.a, args.b, scratch, levels);
    const auto pad = [levels](Index size) { return Product::padded(size, levels); };
    const auto c = scratch.template matrix<T>(pad(args.c.rows), pad(args.c.cols));
    const auto a = scratch.template matrix<T>(pad(args.a.rows), pad(args.a.cols));
    const auto b = scratch.template matrix<T>(pad(args.b.rows), pad(args.b.cols));
    copy_padded(device, a, args.a);
    copy_padded(device, b, args.b);
    Product::multiply(device, c, a, b, scratch, levels);
    copy_padded(device, args.c, c);
  }
};

}  // namespace tallcache::gpu::matmul
