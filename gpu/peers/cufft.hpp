// cuFFT's transform of complex numbers.
#pragma once

#include "common/ops/fft.hpp"
#include "gpu/peers/cufft_library.hpp"

namespace tallcache::gpu::peers {

struct cufft : OnCufft {
  static constexpr std::string_view idea = "cufftExecZ2Z and C2C, the plan made before any time; any n";
  static constexpr std::string_view source = "cuFFT";
  using operations = OperationList<Fft<double>, Fft<float>>;
  static constexpr PhaseSpec phases[] = {{"plan", false, true}, {"transform"}};

  template <class T>
  static std::size_t scratch(Fft<T>, const Shape& shape, const Params&) {
    if (shape["n"] == 0) return 0;
    return scratch_bytes({cufft_plan(shape["n"], sizeof(T) == sizeof(float)).work_bytes()});
  }

  template <int phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    const Index n = args.in.size;
    if (n == 0) return;
    CufftPlan& plan = cufft_plan(n, sizeof(*args.in.data) == 8);
    auto scratch = args.scratch;
    void* const work = scratch.template vector<std::byte>(static_cast<Index>(plan.work_bytes())).data;
    if constexpr (phase == 1) plan.run(launch, args.out.data, args.in.data, work);
  }
};

}  // namespace tallcache::gpu::peers
