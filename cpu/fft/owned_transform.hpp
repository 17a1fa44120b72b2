// A transform that owns its tables and working memory, and batches of transforms.
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "cpu/fft/transform.hpp"

namespace tallcache::cpu::fft {

/// Zeroed memory for vectors.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t bytes)
      : size_(bytes), data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(64)))) {
    std::fill_n(data_.get(), bytes, std::byte{});
  }
  Scratch<> scratch() const { return Scratch<>({data_.get(), size_}); }
  std::size_t size() const { return size_; }

 private:
  struct Delete {
    void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t(64)); }
  };
  std::size_t size_;
  std::unique_ptr<std::byte, Delete> data_;
};

/// The transform of n >= 1 numbers on up to `shares` threads.
template <class T>
class OwnedTransform {
 public:
  OwnedTransform(Index n, Index shares)
      : bytes_(Transform<T>::scratch(n, shares, Transform<T>::base)),
        transform_(n, Transform<T>::layout_for(n, Transform<T>::base), bytes_.scratch(), shares) {
    transform_.prepare();
  }

  template <class Fork>
  void operator()(Fork& fork, std::complex<T>* out, const std::complex<T>* in, bool inverse) const {
    auto* const to = reinterpret_cast<T*>(out);
    const auto* const from = reinterpret_cast<const T*>(in);
    inverse ? transform_.inverse(fork, to, from) : transform_(fork, to, from, Plain{});
  }
  Index size() const { return transform_.size(); }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  AlignedBytes bytes_;
  Transform<T> transform_;
};

/// Transforms of n numbers down neighbouring columns, n smooth: a lane of a vector is a column.
template <class T>
class ColumnTransforms {
 public:
  ColumnTransforms(Index n, Index shares)
      : passes_(passes_of(n)),
        width_(std::max<Index>(leaves<T>()[0].lanes, 8)),
        bytes_(scratch_bytes({real_bytes(passes_.roots()), checked_product(shares, buffer_bytes(), "fft"),
                              static_cast<std::size_t>(groups()) * sizeof(Index)})) {
    Scratch<> scratch = bytes_.scratch();
    roots_ = scratch.template vector<T>(2 * passes_.roots());
    buffers_ = scratch.template vector<T>(shares * 2 * n * width_);
    order_ = scratch.template vector<Index>(groups());
    fill_roots(roots_, passes_);
    each_row(passes_, middle(), [this](Index at, Index row) { order_[at] = row; });
  }

  Index width() const { return width_; }
  std::size_t bytes() const { return bytes_.size(); }

  /// Number i of column c < count is at [i stride + c]. count <= width().
  void operator()(T* out, const T* in, Index stride, Index count, bool inverse, Index share) const {
    const auto& text = inverse ? leaves<T>()[0].inverse : leaves<T>()[0].plain;
    const Passes& p = passes_;
    T* const buffer = buffers_.data + share * 2 * p.size * width_;
    const Index radix = p.radix[0], m = p.size / radix;
    text.first_pass(p.radix[0], in, stride, count, buffer, width_, m, roots_.data, {});
    // A last pass of radix 1 copies.
    const int last = p.count > 1 ? p.radix[p.count - 1] : 1;
    middle_passes(text, p, 1, middle(), buffer, width_, 0, radix, m, roots_.data + 2 * (radix - 1) * m,
                  Plain{}, [&, this](const T* x, Index first, Index groups) {
                    text.last_pass(last, x, out, stride, count, width_, groups, order_.size,
                                   order_.data + first, {});
                  });
  }

 private:
  static std::size_t real_bytes(Index numbers) { return checked_product(numbers, 2 * sizeof(T), "fft"); }
  int middle() const { return std::max(passes_.count - 1, 1); }  ///< the passes but the last
  Index groups() const {
    return passes_.count > 1 ? passes_.size / passes_.radix[passes_.count - 1] : passes_.size;
  }
  std::size_t buffer_bytes() const {
    return checked_product(static_cast<Index>(real_bytes(passes_.size)), static_cast<std::size_t>(width_),
                           "fft");
  }

  Passes passes_;
  Index width_;
  AlignedBytes bytes_;
  VectorView<T> roots_, buffers_;
  VectorView<Index> order_;
};

/// `count` transforms of n numbers: number i of transform c is at [c distance + i stride] of both arrays.
template <class T>
class BatchTransform {
 public:
  using Complex = std::complex<T>;

  BatchTransform(Index n, Index count, Index stride, Index distance, Index shares)
      : n_(n), count_(count), stride_(stride), distance_(distance), shares_(shares) {
    if (distance == 1 && n > 1 && is_smooth(n)) {
      columns_.emplace(n, shares);
      return;
    }
    for (Index s = 0; s < shares; ++s) rows_.emplace_back(n, 1);
    if (stride != 1)
      gathered_.assign(static_cast<std::size_t>(shares), std::vector<Complex>(static_cast<std::size_t>(n)));
  }

  template <class Fork>
  void operator()(Fork& fork, Complex* out, const Complex* in, bool inverse) const {
    const Index step = columns_ ? columns_->width() : 1, blocks = (count_ + step - 1) / step;
    fork.blocks(shares_, [=, this](Index share) {
      for (Index b = block_begin(blocks, shares_, share); b < block_begin(blocks, shares_, share + 1); ++b)
        columns_
            ? (*columns_)(reinterpret_cast<T*>(out + b * step), reinterpret_cast<const T*>(in + b * step),
                          stride_, std::min(step, count_ - b * step), inverse, share)
            : one(out + b * distance_, in + b * distance_, inverse, static_cast<std::size_t>(share));
    });
  }
  std::size_t bytes() const {
    std::size_t total = columns_ ? columns_->bytes() : 0;
    for (const auto& row : rows_) total += row.bytes();
    for (const auto& g : gathered_) total += g.size() * sizeof(Complex);
    return total;
  }

 private:
  void one(Complex* out, const Complex* in, bool inverse, std::size_t share) const {
    Serial serial;
    if (stride_ == 1) return rows_[share](serial, out, in, inverse);
    auto& gathered = gathered_[share];
    for (Index i = 0; i < n_; ++i) gathered[static_cast<std::size_t>(i)] = in[i * stride_];
    rows_[share](serial, gathered.data(), gathered.data(), inverse);
    for (Index i = 0; i < n_; ++i) out[i * stride_] = gathered[static_cast<std::size_t>(i)];
  }

  Index n_, count_, stride_, distance_, shares_;
  std::optional<ColumnTransforms<T>> columns_;
  std::vector<OwnedTransform<T>> rows_;
  mutable std::vector<std::vector<Complex>> gathered_;
};

}  // namespace tallcache::cpu::fft
