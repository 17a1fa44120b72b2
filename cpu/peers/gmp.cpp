#include "cpu/peers/gmp.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "common/ceil_div.hpp"
#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

using Wide = std::uint64_t;  // mp_limb_t where gmp.h has 64 bits a limb
constexpr int wide_bits = 64, ratio = sizeof(Wide) / sizeof(IntegerProduct::Limb);

struct Library {
  std::string reason;
  Wide (*multiply)(Wide* out, const Wide* a, long m, const Wide* b, long n) = nullptr;  ///< m >= n >= 1

  Library() {
    void* const library = dlopen("libgmp.so.10", RTLD_NOW | RTLD_LOCAL);
    const int* bits = nullptr;
    if (!library)
      reason = "no libgmp.so.10 (package libgmp10)";
    else if (!find(library, "__gmpn_mul", multiply) || !find(library, "__gmp_bits_per_limb", bits))
      reason = "libgmp.so.10 lacks mpn_mul";
    else if (*bits != wide_bits || std::endian::native != std::endian::little)
      reason = "the limbs of this GMP are not of 64 bits, the least byte first";
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

/// The limbs of a view as GMP's, of which the last may be half of one; in `copy` where they cannot be read,
/// or written, in place.
template <class Limb>
auto* wide(const VectorView<Limb>& limbs, std::vector<Wide>& copy) {
  const auto size = static_cast<std::size_t>(limbs.size);
  const bool in_place = size % ratio == 0 && reinterpret_cast<std::uintptr_t>(limbs.data) % sizeof(Wide) == 0;
  using Result = std::conditional_t<std::is_const_v<Limb>, const Wide, Wide>;
  if (in_place) return reinterpret_cast<Result*>(limbs.data);
  copy.resize(ceil_div(size, std::size_t{ratio}));
  if constexpr (std::is_const_v<Limb>)
    copy.back() = 0, std::memcpy(copy.data(), limbs.data, size * sizeof(Limb));
  return static_cast<Result*>(copy.data());
}

}  // namespace

const std::string& gmp_reason() { return library().reason; }

void gmp_multiply(const IntegerProduct::Args<>& args) {
  auto a = args.a, b = args.b;
  if (a.size < b.size) std::swap(a, b);
  if (b.size == 0) {
    std::fill_n(args.out.data, args.out.size, 0);
    return;
  }
  const Index m = ceil_div(a.size, Index{ratio}), n = ceil_div(b.size, Index{ratio});
  static thread_local std::vector<Wide> a_copy, b_copy, out_copy;
  const Wide *const first = wide(a, a_copy), *const second = wide(b, b_copy);
  // Two odd numbers of limbs have one less than as many of GMP's can hold.
  const bool is_longer = (m + n) * ratio > args.out.size;
  Wide* out;
  if (is_longer)
    out_copy.resize(static_cast<std::size_t>(m + n)), out = out_copy.data();
  else
    out = wide(args.out, out_copy);
  library().multiply(out, first, m, second, n);
  if (out == out_copy.data())
    std::memcpy(args.out.data, out, static_cast<std::size_t>(args.out.size) * sizeof(IntegerProduct::Limb));
}

}  // namespace tallcache::cpu::peers
