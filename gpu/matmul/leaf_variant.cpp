#include "gpu/matmul/leaf_variant.hpp"

#include "common/catalogue.hpp"
#include "common/operation_record.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache::gpu::matmul {

template <>
const Variant& leaf_variant<float>() {
  static const Variant& found = find_variant(operation_of<Matmul<float>>, "any_shape", "gpu");
  return found;
}
template <>
const Variant& leaf_variant<double>() {
  static const Variant& found = find_variant(operation_of<Matmul<double>>, "warp_mma", "gpu");
  return found;
}

}  // namespace tallcache::gpu::matmul
