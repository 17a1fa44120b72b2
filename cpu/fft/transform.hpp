// The transform of any n: where n has a large prime factor, as a convolution (Bluestein, "A linear filtering
// approach to the computation of discrete Fourier transform", 1970, pages 451-455): j k = (j^2 + k^2 - (k -
// j)^2) / 2.
#pragma once

#include <algorithm>
#include <complex>

#include "cpu/fft/smooth_transform.hpp"

namespace tallcache::cpu::fft {

/// Of n >= 1 complex numbers of real type T, in scratch that the caller keeps as long as the transform.
template <class T, class Access = Plain>
class Transform {
 public:
  static constexpr Index base = 4 << 20;  ///< bytes

  /// The bytes of tables and working memory on `shares` threads.
  static std::size_t scratch(Index n, Index shares, Index base) {
    const Layout layout = layout_for(n, base);
    const auto bytes = [](Index numbers) { return checked_product(numbers, 2 * sizeof(T), "fft"); };
    const std::size_t inner = SmoothTransform<T, Access>::scratch(layout, shares);
    return layout.n == n ? inner : scratch_bytes({bytes(n), bytes(layout.n), bytes(layout.n)}) + inner;
  }

  /// Whether more than one thread takes part.
  static bool forks(Index n, Index base) { return SmoothTransform<T, Access>::forks(layout_for(n, base)); }

  /// How the transform is divided; of the convolution where n is not smooth.
  static Layout layout_for(Index n, Index base) {
    std::vector<Index> lanes;
    for (const auto& texts : leaves<T>()) lanes.push_back(texts.lanes);
    return layout_of(is_smooth(n) ? n : chirp_size(n), sizeof(T), lanes, base);
  }

  /// As scratch(); takes its piece of `scratch`.
  Transform(Index n, Index shares, Index base, Scratch<Access>& scratch)
      : Transform(n, shares, layout_for(n, base), scratch) {}

  /// The same plan, in the same scratch, under another access policy.
  const Transform& with(Access) const { return *this; }
  template <class Other>
  Transform<T, Other> with(Other other) const {
    return {*this, other};
  }

  Index size() const { return n_; }
  const typename Leaves<T>::Texts& texts() const { return inner_.texts(); }

  /// Fills the tables.
  void prepare() const {
    inner_.prepare();
    if (!chirp_.size) return;
    const RootsOfUnity roots(2 * n_);
    const Index m = image_.size / 2;
    // Scaled, as two transforms in a row multiply by m.
    const T scale = T(1) / static_cast<T>(m);
    for (Index i = 0; i < 2 * m; ++i) image_[i] = 0;
    for (Index j = 0, square = 0; j < n_; ++j) {
      const auto w = roots.at<T>(square);
      chirp_[2 * j] = w.real(), chirp_[2 * j + 1] = w.imag();
      for (const Index at : {j, j ? m - j : 0})
        image_[2 * at] = scale * w.real(), image_[2 * at + 1] = -scale * w.imag();
      square = (square + 2 * j + 1) % (2 * n_);  // (j + 1)^2
    }
    Serial serial;
    inner_(serial, image_.data, image_.data, image_.access());
  }

  /// out[k] = sum over j of in[j] exp(-2 pi i j k / n). They may be the same array.
  template <class Fork>
  void operator()(Fork& fork, T* out, const T* in, Access access) const {
    chirp_.size ? convolve(fork, out, in, false, access) : inner_(fork, out, in, access);
  }
  /// The inverse: exp(2 pi i j k / n), not scaled.
  template <class Fork>
  void inverse(Fork& fork, T* out, const T* in) const {
    chirp_.size ? convolve(fork, out, in, true, chirp_.access()) : inner_.inverse(fork, out, in);
  }

 private:
  template <class, class>
  friend class Transform;

  Transform(Index n, Index shares, const Layout& layout, Scratch<Access>& scratch)
      : n_(n),
        chirp_(scratch.template vector<T>(layout.n == n ? 0 : 2 * n)),
        image_(scratch.template vector<T>(layout.n == n ? 0 : 2 * layout.n)),
        padded_(scratch.template vector<T>(image_.size)),
        inner_(layout, scratch, shares) {}

  template <class Other>
  Transform(const Transform<T, Other>& other, Access access)
      : n_(other.n_),
        chirp_(other.chirp_.with(access)),
        image_(other.image_.with(access)),
        padded_(other.padded_.with(access)),
        inner_(other.inner_, access) {}

  template <class Fork>
  void convolve(Fork& fork, T* out, const T* in, bool inverse, Access access) const {
    constexpr Index block = 4096;
    const Index m = image_.size / 2;
    CompiledApart<Access> apart(access);
    const auto policy = apart.policy();
    const auto multiply = inner_.texts().under(policy).multiply;
    loop_blocks(fork, m, block, [=, this](Index begin, Index end) {
      const Index own = std::clamp<Index>(n_ - begin, 0, end - begin), at = 2 * begin;
      multiply(in + at, chirp_.data + at, padded_.data + at, own, inverse, false, policy);
      for (Index j = begin + own; j < end; ++j) padded_[2 * j] = 0, padded_[2 * j + 1] = 0;
    });
    inner_(fork, padded_.data, padded_.data, access);
    // The inverse transform as a forward one with real and imaginary parts exchanged on both sides.
    loop_blocks(fork, m, block, [=, this](Index begin, Index end) {
      T* const own = padded_.data + 2 * begin;
      multiply(own, image_.data + 2 * begin, own, end - begin, false, true, policy);
    });
    inner_(fork, padded_.data, padded_.data, access);
    loop_blocks(fork, n_, block, [=, this](Index begin, Index end) {
      const Index at = 2 * begin;
      multiply(padded_.data + at, chirp_.data + at, out + at, end - begin, true, inverse, policy);
    });
  }

  Index n_;
  VectorView<T, Access> chirp_, image_, padded_;
  SmoothTransform<T, Access> inner_;
};

}  // namespace tallcache::cpu::fft
