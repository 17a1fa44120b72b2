// The six steps: n = n1 n2 as a matrix of n1 rows, transposed three times, so that both dimensions are
// transformed along rows, each in a block's shared memory.
#pragma once

#include <algorithm>

#include "gpu/fft/complex.hpp"

namespace tallcache::gpu::fft {

/// Transforms each of the rows, of 2^lg_length numbers, in shared memory: numbers in the order of their
/// reversed bits, then radix 2 in place. Afterwards number k of row r is multiplied by the power r k of a
/// root of that order; order 0: by nothing.
template <class T>
struct TransformRows {
  using Number = Complex<T>;
  static constexpr int max_threads = 512, max_lg_length = 12;
  static constexpr std::size_t max_dynamic_shared_bytes = sizeof(Number) << max_lg_length;

  template <class Thread, class To, class From>
  TALLCACHE_DEVICE void operator()(const Thread& t, To to, From from, int lg_length, Index order) const {
    auto&& row = dynamic_shared<Number>(t);
    const int length = 1 << lg_length, first = t.thread().x, threads = t.block_dim().x;
    const Index begin = Index{t.block().x} << lg_length;
    for (int j = first; j < length; j += threads) row[reversed(j, lg_length)] = from[begin + j];
    t.sync();
    for (int half = 1; half < length; half *= 2) {
      for (int pair = first; pair < length / 2; pair += threads) {
        const int k = pair % half, at = 2 * (pair - k) + k;
        const Number even = row[at], odd = row[at + half], turned_odd = odd * root<T>(k, 2 * half);
        row[at] = even + turned_odd;
        row[at + half] = even - turned_odd;
      }
      t.sync();
    }
    for (int k = first; k < length; k += threads) {
      const Number number = row[k];
      to[begin + k] = order == 0 ? number : number * root<T>(t.block().x * Index{k}, order);
    }
  }

 private:
  static TALLCACHE_INLINE int reversed(int j, int bits) {
    int r = 0;
    for (int b = 0; b < bits; ++b) r |= (j >> b & 1) << (bits - 1 - b);
    return r;
  }
};

/// B = A^T by tiles in shared memory, whose rows are padded.
struct TransposeNumbers {
  static constexpr int side = 16, max_threads = side * side;

  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a, Index rows, Index cols) const {
    auto&& tile = shared<0, typename B::value_type[side][side + 1]>(t);
    const Index tiles = (cols + side - 1) / side;
    const Index row = t.block().x / tiles * side, col = t.block().x % tiles * side;
    const int x = t.thread().x % side, y = t.thread().x / side;
    if (row + y < rows && col + x < cols) tile[y][x] = a[(row + y) * cols + col + x];
    t.sync();
    if (col + y < cols && row + x < rows) b[(col + y) * rows + row + x] = tile[x][y];
  }
};

struct six_step : OnGpu {
  static constexpr int max_lg_row = TransformRows<double>::max_lg_length, max_lg_size = 2 * max_lg_row;
  static constexpr std::string_view idea =
      "n = n1 n2, three transpositions: rows of up to 4096 numbers in a block's shared memory by radix 2; "
      "powers of two to 2^24; applies coalescing, tiling";
  static constexpr std::string_view source = "Bailey 1990";
  using operations = OperationList<Fft<double>, Fft<float>>;

  static bool supports(const Shape& shape) {
    return is_power_of_two(shape["n"]) && shape["n"] <= Index{1} << max_lg_size;
  }

  template <class Device = Launch, class T>
  static std::size_t scratch(Fft<T>, const Shape& shape, const Params&) {
    const Index n = shape["n"];
    return n <= Index{1} << max_lg_row ? 0 : scratch_bytes({n * sizeof(Complex<T>)});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Index n = args.in.size;
    if (n == 0) return;
    auto scratch = args.scratch;
    const auto out = complex_view(args.out);
    const auto in = complex_view(args.in);
    if (lg(n) <= max_lg_row) return rows(device, out, in, 1, n, 0);
    using Numbers = std::remove_const_t<decltype(out)>;
    using Input = std::remove_const_t<decltype(in)>;
    const Numbers other = scratch.template vector<typename Numbers::value_type>(n);
    const Index n2 = Index{1} << lg(n) / 2, n1 = n / n2;
    transpose(device, out, in, n1, n2);
    rows(device, out, Input(out), n2, n1, n);
    transpose(device, other, Input(out), n2, n1);
    rows(device, other, Input(other), n1, n2, 0);
    transpose(device, out, Input(other), n1, n2);
  }

 private:
  template <class Device, class To, class From>
  static void rows(Device& device, const To& to, const From& from, Index count, Index length, Index order) {
    using Kernel = TransformRows<RealOf<To>>;
    const Index threads = std::clamp<Index>(length / 2, 1, Kernel::max_threads);
    launch_kernel(device, Kernel{},
                  {{grid_of(count)},
                   {static_cast<unsigned>(threads)},
                   static_cast<std::size_t>(length) * sizeof(typename To::value_type)},
                  to, from, lg(length), order);
  }

  template <class Device, class B, class A>
  static void transpose(Device& device, const B& b, const A& a, Index row_count, Index col_count) {
    using Kernel = TransposeNumbers;
    const Index side = Kernel::side;
    launch_kernel(device, Kernel{},
                  {{grid_of(ceil_div(row_count, side) * ceil_div(col_count, side))}, {Kernel::max_threads}},
                  b, a, row_count, col_count);
  }
};

}  // namespace tallcache::gpu::fft
