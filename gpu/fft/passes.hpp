// A transform of n = n1 n2 numbers as one pass over memory or two: what the variants that differ in their
// tiles share.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/fft/mixed_plan.hpp"

namespace tallcache::gpu::fft {

/// Calls run(std::integral_constant<int, lg>) for the lg of [least, most].
template <int least, int most, class Run>
void with_lg(int lg, const Run& run) {
  if (lg == least) return run(std::integral_constant<int, least>());
  if constexpr (least < most) with_lg<least + 1, most>(lg, run);
}

/// What lies between the passes of so many numbers stays in the second-level cache.
inline unsigned transforms_at_once(Index n, unsigned count) {
  return static_cast<unsigned>(std::clamp<Index>((Index{1} << 20) / n, 1, std::max(1u, count)));
}

/// lg of the numbers of a thread, which are its radix. Short columns take more threads of fewer numbers: what
/// they wait for is latency.
constexpr int lg_each(int lg_l) { return lg_l == 4 ? 2 : lg_l < 10 ? std::min(lg_l, 3) : 4; }

/// Of a whole transform. Of a batch of the shortest, neighbouring threads read neighbouring numbers.
template <class Data>
constexpr int lg_whole_each(int lg_l) {
  return is_batch<decltype(Data::from)> && lg_l == 3 ? 2 : lg_each(lg_l);
}

/// lg of the transforms of a batch that a block has: 128 threads or more, and 8 KiB, of 2^2 numbers 4.
template <class Data>
constexpr int lg_whole_cols(int lg_l) {
  constexpr int lg_numbers = sizeof(typename decltype(Data::from)::value_type) == 8 ? 10 : 9;
  const int of_threads = 7 - (lg_l - lg_whole_each<Data>(lg_l));
  return is_batch<decltype(Data::from)> ? std::max({0, of_threads, lg_numbers - lg_l - (lg_l == 2)}) : 0;
}

/// lg of the transforms across a block, `lg_cols` or more: 128 threads at least.
constexpr int lg_across_cols(int lg_l, int lg_cols) { return std::max(lg_cols, 7 - (lg_l - lg_each(lg_l))); }

/// How many transforms there are of a size; `across`: their equal numbers are nearer to each other than
/// those of one.
struct BatchSize {
  unsigned count = 1;
  bool across = false;

  MixedKind kind(bool batched) const {
    return !batched ? MixedKind::one : across ? MixedKind::across : MixedKind::batch;
  }
};

/// Tiles says which tiles columns of length 2^lg_l lie in, and starts the kernels:
///   static constexpr int max_lg_n;                                       of two passes
///   static constexpr int max_lg_whole<T>(bool batched, unsigned count);  of one pass over so many transforms
///   static constexpr int max_lg_across;                                  and over such as lie across
///   static constexpr int lg_cols<T>(Pass, int lg_l, Index columns);  of a pass over so many columns
///   static void run<T, pass, lg_l>(Device&, const PassData&);
///   static void run_mixed<T>(Device&, bool is_second, const MixedData&); of what is no power of two
///
/// This is the working memory of a transform of n numbers of T, or of a `batched` number of them: roots, and
/// what lies between the passes. n is a power of two or, of complex numbers, a product of small factors.
template <class Tiles, class T, class Access, bool batched = false>
class Passes {
 public:
  using Number = NumberOf<T>;
  using Numbers = VectorView<Number, Access>;
  using ConstantNumbers = VectorView<const Number, Access>;
  using Out = std::conditional_t<batched, Batch<Numbers>, Numbers>;
  using In = std::conditional_t<batched, Batch<ConstantNumbers>, ConstantNumbers>;

  static bool supports(Index n) {
    return is_power_of_two(n) ? n <= Index{1} << Tiles::max_lg_n : mixed_plan<T>(n).exists;
  }

  explicit Passes(Index n, BatchSize batch = {}) : batch_(batch) {
    if (!is_power_of_two(n)) {
      plan_ = mixed_plan<T>(n, batch.kind(batched));
    } else {
      tables_.lg_n = lg(n);
      if (is_one_pass()) tables_.max_lg_powers = tables_.lg_n;
    }
    if (!is_one_pass()) at_once_ = transforms_at_once(n, batch.count);
  }

  std::size_t scratch() const {
    std::size_t bytes = 0;
    for (const Index size : {first_roots_size(), second_roots_size(), between_size()})
      bytes = checked_sum(bytes, scratch_bytes({static_cast<std::size_t>(size) * sizeof(Number)}), "fft");
    return bytes;
  }
  void take(Scratch<Access>& scratch) {
    first_roots_ = scratch.template vector<Number>(first_roots_size());
    second_roots_ = scratch.template vector<Number>(second_roots_size());
    between_ = scratch.template vector<Number>(between_size());
  }

  template <class Device>
  void prepare(Device& device) const {
    if constexpr (!HasRoots<T>)
      if (plan_.exists) {
        make_stage_roots(device, first_roots_, plan_.columns.stages);
        return make_stage_roots(device, second_roots_, plan_.rows.stages);
      }
    make_roots(device, first_roots_, second_roots_, tables_);
  }

  /// `count` transforms, after prepare(), of a batch from its `first`. `out` is `in` or does not overlap it.
  /// Those of a power of two take factors.
  template <class Device>
  void run(Device& device, Out out, In in, [[maybe_unused]] unsigned count = 1,
           const Factors<ConstantNumbers>& factors = {}) const {
    if constexpr (batched) {
      for (unsigned left = count; left > 0; left -= std::min(at_once_, left)) {
        run_part(device, out, in, std::min(at_once_, left), factors);
        out.first += at_once_, in.first += at_once_;
      }
    } else {
      run_part(device, out, in, 1, factors);
    }
  }

 private:
  static constexpr int most_whole = Tiles::template max_lg_whole<T>(batched, batched ? ~0u : 1);

  bool is_one_pass() const {
    if (plan_.exists) return plan_.is_whole();
    return tables_.lg_n <= (batched && batch_.across
                                ? Tiles::max_lg_across
                                : Tiles::template max_lg_whole<T>(batched, batch_.count));
  }
  /// Those of columns and rows of mixed radices, else `powers` and `low` of RootTables.
  Index first_roots_size() const {
    return plan_.exists ? plan_.columns.stages.roots() : tables_.powers_size();
  }
  Index second_roots_size() const { return plan_.exists ? plan_.rows.stages.roots() : tables_.low_size(); }
  Index between_size() const {
    if (is_one_pass()) return 0;
    return (plan_.exists ? plan_.between() : Index{1} << tables_.lg_n) * at_once_;
  }

  template <class Device>
  void run_part(Device& device, const Out& out, const In& in, unsigned count,
                const Factors<ConstantNumbers>& factors) const {
    const bool across = batch_.across;
    if constexpr (!HasRoots<T>)
      if (plan_.exists) {
        const Out between = between_of(count);
        run_mixed(device, false, is_one_pass() ? out : between, in, count);
        if (!is_one_pass()) run_mixed(device, true, out, constant(between), count);
        return;
      }
    const int lg_n = tables_.lg_n;
    if (is_one_pass()) {
      if constexpr (batched)
        if (across)
          return run_pass<Pass::across, 0, Tiles::max_lg_across>(device, lg_n,
                                                                 data(out, in, {}, {1, count, true}));
      return run_pass<Pass::whole, 0, most_whole>(device, lg_n, data(out, in, {}, {1, count}, factors));
    }
    constexpr int few = Tiles::template max_lg_whole<T>(batched, 1);
    constexpr int least = (batched ? std::min(Tiles::max_lg_across, few) : few) + 1;
    const int lg_n1 = (lg_n + 1) / 2, lg_n2 = lg_n / 2;
    const ColumnOrder columns{1u << lg_n2, count, across}, rows{1u << lg_n1, count, across};
    const bool in_output = is_between_in(out, in, factors);
    const Layout layout =
        Layout::of(lg_n1, lg_n2, Tiles::template lg_cols<T>(Pass::rows, lg_n2, rows.total()),
                   Tiles::template lg_cols<T>(Pass::columns, lg_n1, columns.total()), in_output);
    const Out between = in_output ? unconjugated(out) : between_of(count);
    run_pass<Pass::columns, (least + 1) / 2, (Tiles::max_lg_n + 1) / 2>(
        device, lg_n1, data(between, in, layout, columns, {factors.load, {}}));
    run_pass<Pass::rows, least / 2, Tiles::max_lg_n / 2>(
        device, lg_n2, data(out, constant(between), layout, rows, {{}, factors.store}));
  }

  /// Whether what lies between the passes is in the output: where the second-level cache holds that and the
  /// input, but not a third array.
  bool is_between_in(const Out& out, const In& in, const Factors<ConstantNumbers>& factors) const {
    const Index bytes = static_cast<Index>(sizeof(Number)) << tables_.lg_n;
    const auto begin = [](const auto& view) -> const void* {
      if constexpr (batched)
        return view.numbers.data;
      else
        return view.data;
    };
    return bytes >= Index{16} << 20 && bytes <= Index{32} << 20 && batch_.count == 1 &&
           begin(out) != begin(in) && factors.store.size == 0;
  }

  /// Of columns of 2^lg_l numbers.
  template <Pass pass, int least, int most, class Device, class Data>
  static void run_pass(Device& device, int lg_l, const Data& data) {
    with_lg<least, most>(lg_l, [&](auto lg) { Tiles::template run<T, pass, lg>(device, data); });
  }

  template <class Device>
  void run_mixed(Device& device, bool is_second, const Out& to, const In& from, unsigned count) const {
    const MixedPass& pass = is_second ? plan_.rows : plan_.columns;
    Tiles::template run_mixed<T>(
        device, is_second,
        MixedData<Out, In, ConstantNumbers>{to,
                                            from,
                                            is_second ? second_roots_ : first_roots_,
                                            pass,
                                            {static_cast<unsigned>(pass.columns), count, batch_.across}});
  }

  /// What lies between the passes, in the order of the batch itself. Members are set one by one, as nvcc 13.0
  /// crashes at braces.
  Out between_of(unsigned count) const {
    if constexpr (batched) {
      Out between;
      between.numbers = between_;
      between.layout.stride = batch_.across ? count : 1;
      between.layout.distance = batch_.across ? 1 : between_.size / at_once_;
      return between;
    } else {
      return between_;
    }
  }

  static Out unconjugated(Out out) {
    if constexpr (batched) out.conjugate = false;
    return out;
  }

  static In constant(const Out& between) {
    if constexpr (batched) {
      In in;
      in.numbers = between.numbers;
      in.layout = between.layout;
      in.first = between.first;
      return in;
    } else {
      return between;
    }
  }

  PassData<Out, In, ConstantNumbers> data(const Out& to, const In& from, const Layout& layout,
                                          const ColumnOrder& order,
                                          const Factors<ConstantNumbers>& factors = {}) const {
    return {to, from, first_roots_, second_roots_, tables_, layout, order, factors};
  }

  BatchSize batch_;
  unsigned at_once_ = batch_.count;
  MixedPlan plan_{};  ///< exists where n is no power of two
  RootTables tables_{};
  Numbers first_roots_{}, second_roots_{}, between_{};
};

/// The view with which a variant's phase accesses its arguments.
template <class Args>
using AccessOf = typename decltype(Args::out)::access_type;

}  // namespace tallcache::gpu::fft
