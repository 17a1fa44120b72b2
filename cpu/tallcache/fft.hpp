// Discrete Fourier transforms on the CPU, of float and double numbers and any size.
//
//   std::vector<std::complex<double>> in = samples(), out(in.size());
//   tallcache::fft(out, in);                           // out[k] = sum over j of in[j] exp(-2 pi i j k / n)
//   const tallcache::FftPlan<double> plan(in.size());  // for many transforms of a size
//   plan.forward(out, in);
//   plan.inverse(in, out);                             // not scaled: in is n times what it was
//
// No transform is scaled. Outputs may be the inputs' arrays. A plan is made once, from 2048
// numbers on in the time of ten transforms or less, and kept; it has the working memory, so that two threads
// need a plan each. Results are the same bytes on any number of threads.
#pragma once

#include <complex>
#include <initializer_list>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/fft_sizes.hpp"
#include "common/fork/parallel.hpp"
#include "cpu/fft/batch_transform.hpp"
#include "cpu/fft/owned_plan.hpp"
#include "cpu/fft/real_transform.hpp"

namespace tallcache {

namespace detail {
template <class T>
T* reals(std::complex<T>* numbers) {
  return reinterpret_cast<T*>(numbers);
}
template <class T>
const T* reals(const std::complex<T>* numbers) {
  return reinterpret_cast<const T*>(numbers);
}

/// One plan's transform of complex numbers, or its inverse.
template <class Plan, class Fork, class T>
void transform(const Plan& plan, Fork& fork, std::complex<T>* out, const std::complex<T>* in, bool inverse) {
  inverse ? plan.inverse(fork, reals(out), reals(in)) : plan(fork, reals(out), reals(in), Plain{});
}

template <class Program>
void run_fft(int threads, const Program& program) {
  if (threads == 1) {
    Serial fork;
    program(fork);
  } else {
    run_parallel(threads, [&](auto& fork) { program(fork); });
  }
}
inline void expect_fft_size(std::size_t size, Index expected) {
  if (size != static_cast<std::size_t>(expected))
    throw Error("fft: an array of " + std::to_string(size) + " numbers where " + std::to_string(expected) +
                " are needed");
}
}  // namespace detail

/// The transform of n complex numbers (Frigo, Leiserson, Prokop, Ramachandran 1999; where n has a prime
/// factor above 13, Bluestein 1970).
template <class T>
class FftPlan {
 public:
  using Complex = std::complex<T>;

  /// Throws Error on a negative n, one whose bytes overflow, and fewer than one thread.
  explicit FftPlan(Index n, int threads = 1) : n_(detail::fft_size(n)), threads_(threads) {
    require_threads(threads);
    if (n > 0) transform_.emplace(n, Index{threads}, Transform::base);
  }

  Index size() const { return n_; }
  /// Of tables and working memory.
  std::size_t bytes() const { return transform_ ? transform_->bytes() : 0; }

  /// Throw Error where an array has not n numbers. `out` may be `in`.
  void forward(std::span<Complex> out, std::span<const Complex> in) const { run(out, in, false); }
  void inverse(std::span<Complex> out, std::span<const Complex> in) const { run(out, in, true); }

 private:
  using Transform = cpu::fft::Transform<T>;

  void run(std::span<Complex> out, std::span<const Complex> in, bool inverse) const {
    detail::expect_fft_size(out.size(), n_);
    detail::expect_fft_size(in.size(), n_);
    if (transform_)
      detail::run_fft(threads_, [&](auto& fork) {
        detail::transform(**transform_, fork, out.data(), in.data(), inverse);
      });
  }

  Index n_;
  int threads_;
  std::optional<cpu::fft::OwnedPlan<Transform>> transform_;
};

/// The transform of the n numbers of `in` to `out` on `threads` threads including the caller, without a plan
/// that is kept. Throws Error as FftPlan does.
///
/// Source: Frigo, Leiserson, Prokop, Ramachandran 1999; Bluestein 1970.
template <class T>
void fft(std::span<std::complex<T>> out, std::span<const std::complex<T>> in, int threads = 1) {
  FftPlan<T>(static_cast<Index>(in.size()), threads).forward(out, in);
}
/// The same of vectors.
template <class T>
void fft(std::vector<std::complex<T>>& out, const std::vector<std::complex<T>>& in, int threads = 1) {
  fft<T>(std::span(out), std::span(in), threads);
}

/// `count` transforms of n numbers: number i of transform c is at [c distance + i stride], in both arrays.
template <class T>
class FftBatchPlan {
 public:
  using Complex = std::complex<T>;

  FftBatchPlan(Index n, Index count, Index stride, Index distance, int threads = 1) : threads_(threads) {
    require_threads(threads);
    extent_ = detail::fft_batch_extent(n, count, stride, distance);
    if (extent_ == 0) return;
    checked_product(static_cast<Index>(extent_), sizeof(Complex), "fft");
    batch_.emplace(n, cpu::fft::BatchPlaces{count, stride, distance}, Index{threads},
                   cpu::fft::Transform<T>::base);
  }

  std::size_t bytes() const { return batch_ ? batch_->bytes() : 0; }
  /// Throw Error where an array is too small for the last number.
  void forward(std::span<Complex> out, std::span<const Complex> in) const { run(out, in, false); }
  void inverse(std::span<Complex> out, std::span<const Complex> in) const { run(out, in, true); }

 private:
  void run(std::span<Complex> out, std::span<const Complex> in, bool inverse) const {
    if (!batch_) return;
    if (out.size() < extent_ || in.size() < extent_)
      throw Error("fft: a batch of " + std::to_string(extent_) + " numbers does not fit into its arrays");
    detail::run_fft(threads_,
                    [&](auto& fork) { detail::transform(**batch_, fork, out.data(), in.data(), inverse); });
  }

  int threads_;
  std::size_t extent_ = 0;
  std::optional<cpu::fft::OwnedPlan<cpu::fft::BatchTransform<T>>> batch_;
};

/// The transform of a row-major array of one or more dimensions: along each of them.
template <class T>
class FftGridPlan {
 public:
  using Complex = std::complex<T>;

  explicit FftGridPlan(std::initializer_list<Index> sizes, int threads = 1) : threads_(threads) {
    require_threads(threads);
    for (const Index n : sizes)
      total_ =
          static_cast<Index>(checked_product(total_, static_cast<std::size_t>(detail::fft_size(n)), "fft"));
    detail::fft_size(total_);
    if (total_ == 0) return;
    Index inner = total_;
    for (const Index n : sizes) {
      inner /= n;
      const bool rows = inner == 1;
      const cpu::fft::BatchPlaces places{rows ? total_ / n : inner, inner, rows ? n : 1};
      axes_.push_back({rows ? 1 : total_ / n / inner, n * inner,
                       Batch(n, places, Index{threads}, cpu::fft::Transform<T>::base)});
    }
  }

  Index size() const { return total_; }
  void forward(std::span<Complex> out, std::span<const Complex> in) const { run(out, in, false); }
  void inverse(std::span<Complex> out, std::span<const Complex> in) const { run(out, in, true); }

 private:
  using Batch = cpu::fft::OwnedPlan<cpu::fft::BatchTransform<T>>;
  struct Axis {
    Index count, distance;  ///< of batches
    Batch batch;
  };

  void run(std::span<Complex> out, std::span<const Complex> in, bool inverse) const {
    detail::expect_fft_size(out.size(), total_);
    detail::expect_fft_size(in.size(), total_);
    detail::run_fft(threads_, [&](auto& fork) {
      const Complex* from = in.data();
      for (const Axis& axis : axes_) {
        for (Index b = 0; b < axis.count; ++b)
          detail::transform(*axis.batch, fork, out.data() + b * axis.distance, from + b * axis.distance,
                            inverse);
        from = out.data();
      }
    });
  }

  int threads_;
  Index total_ = 1;
  std::vector<Axis> axes_;
};

/// The transform of n real numbers: n / 2 + 1 complex ones, the others being their conjugates. An even n
/// takes a complex transform of n / 2.
template <class T>
class RealFftPlan {
 public:
  using Complex = std::complex<T>;

  /// Throws Error as FftPlan does.
  explicit RealFftPlan(Index n, int threads = 1) : n_(detail::fft_size(n)), threads_(threads) {
    require_threads(threads);
    if (n > 0) transform_.emplace(n, Index{threads}, Transform::base);
  }

  Index size() const { return n_; }
  /// Of tables and working memory.
  std::size_t bytes() const { return transform_ ? transform_->bytes() : 0; }

  /// out[k] = sum over j of in[j] exp(-2 pi i j k / n), 0 <= k <= n / 2. `out` may begin where `in` does.
  void forward(std::span<Complex> out, std::span<const T> in) const {
    check(out.size(), in.size());
    if (transform_)
      detail::run_fft(threads_, [&](auto& fork) {
        (**transform_)(fork, {out.data(), n_ / 2 + 1}, {in.data(), n_});
      });
  }

  /// The inverse, not scaled: n times what forward() took. The imaginary parts of in[0] and, for an even n,
  /// of in[n / 2] are taken for 0. `out` may begin where `in` does.
  void inverse(std::span<T> out, std::span<const Complex> in) const {
    check(in.size(), out.size());
    if (transform_)
      detail::run_fft(threads_, [&](auto& fork) { (*transform_)->inverse(fork, out.data(), in.data()); });
  }

 private:
  using Transform = cpu::fft::RealTransform<T>;

  void check(std::size_t complex, std::size_t real) const {
    detail::expect_fft_size(real, n_);
    detail::expect_fft_size(complex, n_ ? n_ / 2 + 1 : 0);
  }

  Index n_;
  int threads_;
  std::optional<cpu::fft::OwnedPlan<Transform>> transform_;
};

}  // namespace tallcache
