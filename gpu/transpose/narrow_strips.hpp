// B = A^T where A has few rows or few columns. A block processes as much of the
// long side as fits into its shared memory, and reads and writes runs of
// neighbouring elements.
#pragma once

#include <bit>

#include "common/ops/transpose.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::transpose {

inline constexpr int strip_threads = 256, strip_warps = strip_threads / 32;
inline constexpr Index narrow = 96;  ///< the maximum rows or columns of a narrow matrix

/// k / d, for k below 2^13 and d below 2^7.
TALLCACHE_INLINE int quotient(int k, int d) {
  return static_cast<int>(static_cast<unsigned>(k) * ((1u << 20) / d + 1) >> 20);
}

/// From an element to the one behind it along, where `across` lie side by side:
/// an odd number, so that neither direction has bank conflicts.
constexpr int odd_pitch(int across) { return across | 1; }

/// The part of a matrix that a block processes: the whole short side, `across`,
/// and `words` of 32 elements of the long one. Element l along and s across is
/// held at l * pitch + s of `held`.
template <class T, int words, class Thread, class Memory>
struct Lines {
  static constexpr int along = 32 * words;
  static constexpr int at_once = words < 16 / static_cast<int>(sizeof(T)) ? words : 16 / sizeof(T);
  static constexpr int parts = words / at_once;  ///< of a line, each a warp's

  Thread t;
  Memory held;
  int across, here;  ///< elements

  TALLCACHE_DEVICE int id() const { return static_cast<int>(t.thread().x); }
  TALLCACHE_DEVICE int warp() const { return static_cast<int>(t.thread().x / 32); }
  TALLCACHE_DEVICE int at(int l, int s) const { return l * odd_pitch(across) + s; }

  /// From the lines of the long side.
  template <class A>
  TALLCACHE_DEVICE void load_lines(const A& a) const {
    constexpr int lines = 4;
    const int all = across * parts;
    for (int first = warp(); first < all; first += lines * strip_warps) {
      T value[lines][at_once];
#pragma unroll
      for (int u = 0; u < lines; ++u) {
        const int line = first + u * strip_warps;
        auto&& from = a(line / parts, 0);
#pragma unroll
        for (int w = 0; w < at_once; ++w)
          if (const int l = element(line, w); line < all && l < here) value[u][w] = element_at(from, l);
      }
#pragma unroll
      for (int u = 0; u < lines; ++u) {
        const int line = first + u * strip_warps;
#pragma unroll
        for (int w = 0; w < at_once; ++w)
          if (const int l = element(line, w); line < all && l < here) held[at(l, line / parts)] = value[u][w];
      }
    }
  }
  template <class B>
  TALLCACHE_DEVICE void store_lines(const B& b) const {
    const int all = across * parts;
    for (int line = warp(); line < all; line += strip_warps) {
      auto&& to = b(line / parts, 0);
#pragma unroll
      for (int w = 0; w < at_once; ++w)
        if (const int l = element(line, w); l < here) element_at(to, l) = held[at(l, line / parts)];
    }
  }

  /// From the lines of the short side, place(k) the k-th element.
  template <class Place>
  TALLCACHE_DEVICE void load_strips(Place place) const {
    constexpr int loads = 8;
    const int all = here * across;
    for (int first = id(); first < all; first += loads * strip_threads) {
      T value[loads];
#pragma unroll
      for (int u = 0; u < loads; ++u)
        if (const int k = first + u * strip_threads; k < all) value[u] = place(k);
#pragma unroll
      for (int u = 0; u < loads; ++u)
        if (const int k = first + u * strip_threads; k < all) {
          const int l = quotient(k, across);
          held[at(l, k - l * across)] = value[u];
        }
    }
  }
  template <class Place>
  TALLCACHE_DEVICE void store_strips(Place place) const {
    const int all = here * across;
    for (int k = id(); k < all; k += strip_threads) {
      const int l = quotient(k, across);
      place(k) = held[at(l, k - l * across)];
    }
  }

 private:
  /// The element of a line in which word w of this lane's part lies.
  TALLCACHE_DEVICE int element(int line, int w) const {
    return (line % parts * at_once + w) * 32 + static_cast<int>(t.thread().x % 32);
  }
};

/// f(place): place(k) is the k-th element of the lines of `matrix`, `across`
/// elements each.
template <class Matrix, class F>
TALLCACHE_DEVICE void with_places(const Matrix& matrix, int across, F f) {
  auto&& first = matrix(0, 0);
  const Index ld = matrix.ld;
  if (ld == across)
    f([&](int k) -> decltype(auto) { return element_at(first, k); });
  else
    f([&](int k) -> decltype(auto) {
      const int l = quotient(k, across);
      return element_at(first, l * ld + (k - l * across));
    });
}

/// `flat`: A has few rows; otherwise few columns.
template <bool flat, int words>
struct TransposeLines {
  static constexpr int max_threads = strip_threads, along = 32 * words;

  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a) const {
    using T = typename B::value_type;
    const auto memory = dynamic_shared<T>(t);
    const Index begin = Index{t.block().x} * along, length = flat ? a.cols : a.rows;
    const int here = length - begin < along ? static_cast<int>(length - begin) : along;
    const int across = static_cast<int>(flat ? a.rows : a.cols);
    const Lines<T, words, Thread, std::remove_const_t<decltype(memory)>> strip{t, memory, across, here};
    if constexpr (flat) {
      strip.load_lines(a.block(0, begin, across, here));
      t.sync();
      with_places(b.block(begin, 0, here, across), across, [&](auto place) { strip.store_strips(place); });
    } else {
      with_places(a.block(begin, 0, here, across), across, [&](auto place) { strip.load_strips(place); });
      t.sync();
      strip.store_lines(b.block(0, begin, across, here));
    }
  }
};

/// For a few rows or columns alone, or with gaps between short lines: the part
/// of a matrix that a block processes, the whole short side, `across`, and
/// `along` of the long one, a power of two.
struct Strip {
  static constexpr int bytes = 16384;
  int across, log_along;

  Strip(Index short_side, int element) : across(static_cast<int>(short_side)) {
    log_along = std::bit_width(static_cast<unsigned>(bytes / element / across)) - 1;
  }
  int along() const { return 1 << log_along; }
};

/// `flat`: A has few rows; otherwise few columns.
template <bool flat>
struct TransposeStrips {
  static constexpr int max_threads = strip_threads;

  /// Element l along and s across.
  struct Place {
    int l, s;
  };

  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a, Strip strip) const {
    using T = typename B::value_type;
    auto&& held = dynamic_shared<T>(t);  // element (l, s) at l * pitch + s
    constexpr int loads = Strip::bytes / sizeof(T) / strip_threads;
    const int across = strip.across, along = 1 << strip.log_along, pitch = odd_pitch(across);
    const int id = static_cast<int>(t.thread().x);
    const Index begin = Index{t.block().x} * along, length = flat ? a.cols : a.rows;
    const int here = length - begin < along ? static_cast<int>(length - begin) : along;
    const auto by_lines = [&](int k) { return Place{k & (along - 1), k >> strip.log_along}; };
    const auto by_strips = [&](int k) {
      const int l = quotient(k, across);
      return Place{l, k - l * across};
    };
    T value[loads];
#pragma unroll
    for (int e = 0; e < loads; ++e) {
      const int k = e * strip_threads + id;
      const Place at = flat ? by_lines(k) : by_strips(k);
      if (at.l < here && at.s < across) value[e] = flat ? a(at.s, begin + at.l) : a(begin + at.l, at.s);
    }
#pragma unroll
    for (int e = 0; e < loads; ++e) {
      const int k = e * strip_threads + id;
      const Place at = flat ? by_lines(k) : by_strips(k);
      if (at.l < here && at.s < across) held[at.l * pitch + at.s] = value[e];
    }
    t.sync();
#pragma unroll
    for (int e = 0; e < loads; ++e) {
      const int k = e * strip_threads + id;
      const Place at = flat ? by_strips(k) : by_lines(k);
      if (at.l < here && at.s < across) {
        const T element = held[at.l * pitch + at.s];
        if constexpr (flat)
          b(begin + at.l, at.s) = element;
        else
          b(at.s, begin + at.l) = element;
      }
    }
  }
};

struct narrow_strips : OnGpu {
  static constexpr std::string_view idea =
      "matrices of few rows or few columns: a block transposes all of them "
      "along part of the long side; "
      "applies coalescing, coarsening";
  static constexpr std::string_view source = "M16: Shared memory bank conflicts, by strips";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  static bool supports(const Shape& shape) { return std::min(shape["m"], shape["n"]) <= narrow; }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    if (args.a.rows == 0 || args.a.cols == 0) return;
    if (args.a.rows <= args.a.cols)
      start<true>(device, args.b, args.a);
    else
      start<false>(device, args.b, args.a);
  }

 private:
  template <bool flat, class Device, class B, class A>
  static void start(Device& device, const B& b, const A& a) {
    constexpr int element = sizeof(typename B::value_type), words = 16 / element;
    const int across = static_cast<int>(std::min(a.rows, a.cols));
    const bool has_gaps = (flat ? b.ld : a.ld) != across;
    const auto launch = [&](auto kernel, int along, const auto&... args) {
      const unsigned blocks = grid_of(ceil_div<Index>(std::max(a.rows, a.cols), along));
      const auto held = static_cast<std::size_t>(along) * odd_pitch(across) * element;
      launch_kernel(device, kernel, {{blocks}, {strip_threads}, held}, b, a, args...);
    };
    const Strip strip(across, element);
    if (across >= 64)
      launch(TransposeLines<flat, words / 2>{}, 32 * words / 2);
    else if (across > 8 && !has_gaps)
      launch(TransposeLines<flat, words>{}, 32 * words);
    else
      launch(TransposeStrips<flat>{}, strip.along(), strip);
  }
};

}  // namespace tallcache::gpu::transpose
