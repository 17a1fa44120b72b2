// The GPU variants whose kernels' own text also runs on the host, in builds with and without CUDA.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/cache/run_traced.hpp"
#include "common/variant.hpp"
#include "common/variant_records.hpp"
#include "common/warp/host_device.hpp"

namespace tallcache::gpu {

struct KernelText {
  std::string_view name;
  const Operation* operation;
  std::span<const ParamSpec> params;
  bool (*supports)(const Shape&);
  std::size_t (*scratch_bytes)(const Shape&, const Params&);
  /// Runs all phases in order, on the plain arguments of the operation.
  void (*run)(warp::HostDevice&, const void* args, const Params&);
};

/// All modelled variants, in the order of gpu/variants.def.
std::span<const KernelText* const> kernel_texts();

/// The text of variant `name` of `operation`. Throws Error with the nearest name when it is not modelled.
const KernelText& find_kernel_text(const Operation& operation, std::string_view name);

/// A text with seeded inputs that are aligned as on a device. Sizes and parameters that are left out take
/// their defaults; an empty `input` is the operation's first. Throws Error on a shape that the variant does
/// not support.
class TextProblem {
 public:
  TextProblem(const KernelText& text, const Shape& shape, const Params& params = {},
              std::string_view input = {}, std::uint64_t seed = 1);

  /// Runs all phases. Exceptions of HostDevice::launch pass through.
  void run(warp::HostDevice& device) const {
    device.count_from(problem_.begin());
    text_.run(device, problem_.args(), params_);
  }
  /// Whether the outputs are those of the first run. An operation in place has other inputs in the next.
  Check check() const;

 private:
  const KernelText& text_;
  Shape shape_;
  Params params_;
  std::string_view input_;
  std::uint64_t seed_;
  cache::TracedProblem problem_;
};

/// Runs a TextProblem once and checks the result.
Check run_kernel_text(warp::HostDevice& device, const KernelText& text, const Shape& shape,
                      const Params& params = {}, std::string_view input = {}, std::uint64_t seed = 1);

namespace detail {

template <class V, class Op>
std::size_t text_scratch(const Shape& shape, const Params& params) {
  if constexpr (requires { V::template scratch<warp::HostDevice>(Op{}, shape, params); })
    return V::template scratch<warp::HostDevice>(Op{}, shape, params);
  else
    return 0;
}

template <class V, class Op>
void run_text(warp::HostDevice& device, const void* erased, const Params& params) {
  const auto args = tallcache::detail::args_of<Op>(erased).with(device.access());
  if constexpr (requires { V::phases; }) [&]<std::size_t... phase>(std::index_sequence<phase...>) {
      (V::template call<phase>(device, args, params), ...);
    }
  (std::make_index_sequence<std::size(V::phases)>{});
  else V::call(device, args, params);
}

template <class V, class... Ops>
constexpr auto text_records(OperationList<Ops...>, std::string_view name) {
  return std::array<KernelText, sizeof...(Ops)>{KernelText{
      .name = name,
      .operation = &operation_of<Ops>,
      .params = tallcache::detail::params_of<V>(),
      .supports = &tallcache::detail::supports<V>,
      .scratch_bytes = &text_scratch<V, Ops>,
      .run = &run_text<V, Ops>,
  }...};
}

}  // namespace detail

/// The records of variant class `V`, one for each operation.
template <class V>
constexpr auto kernel_text_records(std::string_view name) {
  return detail::text_records<V>(typename V::operations{}, name);
}

}  // namespace tallcache::gpu
