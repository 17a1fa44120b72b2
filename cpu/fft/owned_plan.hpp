// Transforms that own their tables and working memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "common/view.hpp"

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

/// A Transform, RealTransform or BatchTransform, made from what its scratch() takes, ready to run.
template <class Plan>
class OwnedPlan {
 public:
  template <class... Sizes>
  explicit OwnedPlan(const Sizes&... sizes)
      : bytes_(Plan::scratch(sizes...)), scratch_(bytes_.scratch()), plan_(sizes..., scratch_) {
    plan_.prepare();
  }

  const Plan& operator*() const { return plan_; }
  const Plan* operator->() const { return &plan_; }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  AlignedBytes bytes_;
  Scratch<> scratch_;
  Plan plan_;
};

}  // namespace tallcache::cpu::fft
