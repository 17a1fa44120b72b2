// Many transforms of a size: of long rows one by one, of short ones and of neighbouring columns in the lanes
// of vectors.
#pragma once

#include <algorithm>
#include <complex>
#include <new>
#include <optional>

#include "common/ceil_div.hpp"
#include "cpu/fft/transform.hpp"

namespace tallcache::cpu::fft {

/// Number i of transform c < count is at [c distance + i stride] of both arrays.
struct BatchPlaces {
  Index count, stride, distance;
};

/// Transforms of n numbers, n smooth, in the lanes of vectors: of neighbouring columns, or of short rows,
/// which are transposed into lanes and back, the shortest in registers. On up to `shares` threads, in scratch
/// that the caller keeps as long as the transforms.
template <class T>
class LaneTransforms {
 public:
  /// Rows whose own columns and rows fill vectors need no others beside them, nor do rows that are too long
  /// for a first-level cache.
  static bool takes(Index n, const BatchPlaces& places, Index base) {
    if (n == 1 || !is_smooth(n)) return false;
    if (places.distance == 1) return true;
    const LaneTransforms plan(n, places);
    if (places.stride != 1 || places.count == 1) return false;
    if (plan.is_short()) return true;
    const Layout own = Transform<T>::layout_for(n, base);
    const bool fills = own.n1 % own.lanes == 0 && own.n2 % own.lanes == 0 && own.kind != Layout::Kind::whole;
    return !fills && plan.buffer() * static_cast<Index>(2 * sizeof(T)) <= whole_block_bytes;
  }

  static std::size_t scratch(Index n, const BatchPlaces& places, Index shares) {
    const LaneTransforms plan(n, places);
    const std::size_t buffers = checked_product(shares, bytes(plan.buffer()), "fft");
    return scratch_bytes(
        {bytes(plan.roots()), buffers, static_cast<std::size_t>(plan.order_size()) * sizeof(Index)});
  }

  /// As scratch(); takes its piece of `scratch`.
  LaneTransforms(Index n, const BatchPlaces& places, Index shares, Scratch<>& scratch)
      : LaneTransforms(n, places) {
    roots_ = scratch.template vector<T>(2 * roots());
    buffers_ = scratch.template vector<T>(shares * 2 * buffer());
    order_ = scratch.template vector<Index>(order_size());
  }

  /// Fills the tables.
  void prepare() const {
    if (is_short()) return;
    fill_roots(roots_, passes_);
    if (across()) return fill_order(order_, passes_, passes_before_last(passes_), false);
    for (Index k = 0; k < order_.size; ++k) order_[k] = k;
    each_row(passes_, passes_.count, [this](Index at, Index row) { order_[row] = at; });
  }

  const typename Leaves<T>::Texts& texts() const { return *texts_; }
  /// So many are transformed together.
  Index width() const { return width_; }

  /// Transforms `first`, ..., fewer than width() where it has the last.
  template <class Text, class Policy>
  void operator()(const Text& text, T* out, const T* in, Index first, Index share, Policy policy) const {
    const Index count = std::min(width_, places_.count - first), at = 2 * first * places_.distance;
    T* const buffer = buffers_.data + share * 2 * this->buffer();
    if (is_short())
      text.short_rows(static_cast<int>(passes_.size), in + at, out + at, places_.distance, count, policy);
    else if (across())
      transform_columns(text, passes_, in + at, out + at, places_.stride, count, buffer, width_, roots_.data,
                        order_.data, policy);
    else
      rows(text, out + at, in + at, count, buffer, policy);
  }

 private:
  LaneTransforms(Index n, const BatchPlaces& places)
      : places_(places),
        passes_(passes_of(n)),
        texts_(&(places.distance == 1 ? leaves<T>()[0] : texts_for(n))),
        width_(is_short() ? short_block : std::max<Index>(texts_->lanes, 8)) {}

  /// Vectors that are no longer than a row.
  static const typename Leaves<T>::Texts& texts_for(Index n) {
    const auto all = leaves<T>();
    const auto found = std::ranges::find_if(all, [n](const auto& texts) { return texts.lanes <= n; });
    return found == all.end() ? all.back() : *found;
  }
  static std::size_t bytes(Index numbers) { return checked_product(numbers, 2 * sizeof(T), "fft"); }

  static constexpr Index short_block = 64;  ///< transforms, more than a call of a leaf takes the time of

  bool across() const { return places_.distance == 1; }
  bool is_short() const { return !across() && passes_.size <= *std::ranges::max_element(short_sizes); }
  Index padded_rows() const { return ceil_div(passes_.size, texts_->lanes) * texts_->lanes; }
  Index roots() const { return is_short() ? 0 : passes_.roots(); }
  Index buffer() const { return is_short() ? 0 : padded_rows() * width_; }
  Index order_size() const {
    if (is_short()) return 0;
    return across() ? 2 * passes_.groups(passes_before_last(passes_)) : padded_rows();
  }

  template <class Text, class Policy>
  void rows(const Text& text, T* out, const T* in, Index count, T* buffer, Policy policy) const {
    const Passes& p = passes_;
    text.rows_to_lanes(in, places_.distance, count, p.size, buffer, width_, policy);
    Serial serial;
    middle_passes(serial, text, p, 0, p.count, buffer, width_, 0, 1, p.size, roots_.data, policy,
                  [](Index, Index) {});
    text.lanes_to_rows(buffer, order_.data, width_, out, places_.distance, count, p.size, policy);
  }

  BatchPlaces places_;
  Passes passes_;
  const typename Leaves<T>::Texts* texts_;
  Index width_;
  VectorView<T> roots_{}, buffers_{};
  VectorView<Index> order_{};
};

/// Transforms of n >= 1 numbers each, on up to `shares` threads.
template <class T>
class BatchTransform {
 public:
  static std::size_t scratch(Index n, const BatchPlaces& places, Index shares, Index base) {
    if (LaneTransforms<T>::takes(n, places, base)) return LaneTransforms<T>::scratch(n, places, shares);
    const Index plans = plans_of(n, places, shares, base);
    const std::size_t each = scratch_bytes({Transform<T>::scratch(n, shares / plans, base)});
    return checked_sum(scratch_bytes({static_cast<std::size_t>(plans) * sizeof(Transform<T>),
                                      checked_product(plans * gathered(n, places), 2 * sizeof(T), "fft")}),
                       checked_product(plans, each, "fft"), "fft");
  }

  /// As scratch(); takes its piece of `scratch`.
  BatchTransform(Index n, const BatchPlaces& places, Index shares, Index base, Scratch<>& scratch)
      : n_(n), places_(places), shares_(shares), plans_(plans_of(n, places, shares, base)) {
    if (LaneTransforms<T>::takes(n, places, base)) {
      lanes_.emplace(n, places, shares, scratch);
      return;
    }
    rows_ = scratch.template vector<Transform<T>>(plans_);
    gathered_ = scratch.template vector<T>(2 * plans_ * gathered(n, places));
    for (Index p = 0; p < plans_; ++p) new (&rows_.data[p]) Transform<T>(n, shares / plans_, base, scratch);
  }

  /// Fills the tables.
  void prepare() const {
    if (lanes_) lanes_->prepare();
    for (Index p = 0; p < rows_.size; ++p) rows_.data[p].prepare();
  }

  /// Not scaled. `out` may be `in`.
  template <class Fork, class Access>
  void operator()(Fork& fork, T* out, const T* in, Access access) const {
    CompiledApart<Access> apart(access);
    const auto policy = apart.policy();
    if (lanes_) return together(fork, lanes_->texts().under(policy), out, in, policy);
    rows(fork, out, in, access, [this, access](auto& inner, Index plan, T* to, const T* from) {
      rows_.data[plan].with(access)(inner, to, from, access);
    });
  }
  template <class Fork>
  void inverse(Fork& fork, T* out, const T* in) const {
    if (lanes_) return together(fork, lanes_->texts().inverse, out, in, Plain{});
    rows(fork, out, in, Plain{}, [this](auto& inner, Index plan, T* to, const T* from) {
      rows_.data[plan].inverse(inner, to, from);
    });
  }

 private:
  /// A plan a thread, but one on all threads for transforms that fork and are fewer than these.
  static Index plans_of(Index n, const BatchPlaces& places, Index shares, Index base) {
    return places.count < shares && Transform<T>::forks(n, base) ? 1 : shares;
  }
  /// The numbers that a thread gathers before their transform.
  static Index gathered(Index n, const BatchPlaces& places) { return places.stride == 1 ? 0 : n; }

  /// body(share, block) for all blocks.
  template <class Fork, class Body>
  void shared(Fork& fork, Index blocks, const Body& body) const {
    fork.blocks(shares_, [this, blocks, &body](Index share) {
      const Index end = block_begin(blocks, shares_, share + 1);
      for (Index b = block_begin(blocks, shares_, share); b < end; ++b) body(share, b);
    });
  }

  template <class Fork, class Text, class Policy>
  void together(Fork& fork, const Text& text, T* out, const T* in, Policy policy) const {
    const Index width = lanes_->width();
    shared(fork, ceil_div(places_.count, width),
           [=, this, &text](Index share, Index b) { (*lanes_)(text, out, in, b * width, share, policy); });
  }

  template <class Fork, class Access, class One>
  void rows(Fork& fork, T* out, const T* in, Access access, const One& one) const {
    const auto row = [=, this, &one](auto& inner, Index plan, Index c) {
      const Index first = 2 * c * places_.distance;
      if (places_.stride == 1) return one(inner, plan, out + first, in + first);
      T* const own = gathered_.data + 2 * plan * n_;
      const auto move = [this, access](T* to, Index to_stride, const T* from, Index from_stride) {
        for (Index i = 0; i < n_; ++i)
          for (const Index part : {0, 1})
            access.at(to + 2 * i * to_stride + part) = T(access.at(from + 2 * i * from_stride + part));
      };
      move(own, 1, in + first, places_.stride);
      one(inner, plan, own, own);
      move(out + first, places_.stride, own, 1);
    };
    if (plans_ == 1) {
      for (Index c = 0; c < places_.count; ++c) row(fork, 0, c);
    } else {
      shared(fork, places_.count, [&row](Index share, Index c) {
        Serial serial;
        row(serial, share, c);
      });
    }
  }

  Index n_;
  BatchPlaces places_;
  Index shares_, plans_;
  std::optional<LaneTransforms<T>> lanes_;
  VectorView<Transform<T>> rows_{};
  VectorView<T> gathered_{};
};

}  // namespace tallcache::cpu::fft
