// A struct of views as compiled by g++, by nvcc for the host and by nvcc for a kernel. Each compiles seen()
// for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/view.hpp"

#ifdef __CUDACC__
#define TALLCACHE_HOST_DEVICE __host__ __device__
#else
#define TALLCACHE_HOST_DEVICE
#endif

namespace tallcache::test {

struct Views {
  char before;
  VectorView<const double> x;
  VectorView<std::uint32_t> y;
  MatrixView<const float> a;
  Scratch<> scratch;
  MatrixView<float> b;
  Index behind;
};

template <class View, std::size_t bytes>
inline constexpr bool is_laid_out =
    sizeof(View) == bytes && alignof(View) == alignof(void*) &&
    std::is_aggregate_v<View>&& std::is_standard_layout_v<View>&& std::is_trivially_copyable_v<View>;
static_assert(is_laid_out<MatrixView<float>, 32> && is_laid_out<MatrixView<const double>, 32>);
static_assert(is_laid_out<VectorView<float>, 16> && is_laid_out<VectorView<const std::byte>, 16>);
static_assert(sizeof(Scratch<>) == 16);
static_assert(offsetof(MatrixView<float>, data) == 0 && offsetof(MatrixView<float>, rows) == 8 &&
              offsetof(MatrixView<float>, cols) == 16 && offsetof(MatrixView<float>, ld) == 24);
static_assert(offsetof(VectorView<float>, data) == 0 && offsetof(VectorView<float>, size) == 8);
static_assert(offsetof(Views, x) == 8 && offsetof(Views, y) == 24 && offsetof(Views, a) == 40 &&
              offsetof(Views, scratch) == 72 && offsetof(Views, b) == 88 && offsetof(Views, behind) == 120 &&
              sizeof(Views) == 128);

/// A compiler's view of Views: the offsets of its members, their values, and sums of the elements.
struct Seen {
  std::size_t offset[7];
  const void* data[4];
  Index sizes[9];
  double x, y, a, b;
  friend bool operator==(const Seen&, const Seen&) = default;
};

TALLCACHE_HOST_DEVICE inline Seen seen(const Views& v) {
  const auto at = [&v](const auto& member) {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&member) -
                                    reinterpret_cast<const char*>(&v));
  };
  Seen s{{at(v.x), at(v.y), at(v.a), at(v.scratch), at(v.b), at(v.behind), sizeof v},
         {v.x.data, v.y.data, v.a.data, v.b.data},
         {v.x.size, v.y.size, v.a.rows, v.a.cols, v.a.ld, v.b.rows, v.b.cols, v.b.ld, v.behind},
         0,
         0,
         0,
         0};
  // The weights detect an element in the wrong place.
  for (Index i = 0; i < v.x.size; ++i) s.x += static_cast<double>(i + 1) * v.x[i];
  const VectorView<std::uint32_t> rest = v.y.block(1, v.y.size - 1);
  for (Index i = 0; i < rest.size; ++i) s.y += static_cast<double>(i + 1) * rest[i];
  for (Index i = 0; i < v.a.rows; ++i)
    for (Index j = 0; j < v.a.cols; ++j) s.a += static_cast<double>(i * v.a.cols + j + 1) * v.a(i, j);
  const MatrixView<const float> block = v.b.block(1, 1, v.b.rows - 1, v.b.cols - 1);
  for (Index i = 0; i < block.rows; ++i)
    for (Index j = 0; j < block.cols; ++j) s.b += static_cast<double>(i * block.cols + j + 1) * block(i, j);
  return s;
}

/// The result of nvcc's code for the host.
Seen seen_by_nvcc(const Views& views);

/// The result of a kernel that gets `views` by value. The views lie in the memory of the current device.
/// Throws Error when CUDA does.
Seen seen_by_kernel(const Views& views);

}  // namespace tallcache::test
