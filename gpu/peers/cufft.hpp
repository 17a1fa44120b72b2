// cuFFT's transforms: of complex numbers, of many arrays of them, in two dimensions, and of real numbers.
#pragma once

#include <array>
#include <type_traits>

#include "common/ops/fft_2d.hpp"
#include "common/ops/fft_batched.hpp"
#include "common/ops/fft_real.hpp"
#include "gpu/peers/cufft_library.hpp"

namespace tallcache::gpu::peers {

struct cufft : OnCufft {
  static constexpr std::string_view idea =
      "cufftExecZ2Z, C2C, D2Z and R2C, the plan made before any time; any size";
  static constexpr std::string_view source = "cuFFT";
  using operations = OperationList<Fft<double>, Fft<float>, FftBatched<double>, FftBatched<float>,
                                   Fft2d<double>, Fft2d<float>, FftReal<double>, FftReal<float>>;
  static constexpr PhaseSpec phases[] = {{"plan", false, true}, {"transform"}};

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    const auto args = Op::bind(shape, std::array<std::byte*, 2>{}, {});
    return args.in.size == 0 ? 0 : scratch_bytes({cufft_plan(problem_of(args)).work_bytes()});
  }

  template <int phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if (args.in.size == 0) return;
    CufftPlan& plan = cufft_plan(problem_of(args));
    auto scratch = args.scratch;
    void* const work = scratch.template vector<std::byte>(static_cast<Index>(plan.work_bytes())).data;
    if constexpr (phase == 1) plan.run(launch, args.out.data, args.in.data, work);
  }

 private:
  template <class Args>
  static CufftProblem problem_of(const Args& args) {
    using In = std::remove_const_t<typename decltype(args.in)::value_type>;
    using Complex = typename decltype(args.out)::value_type;
    constexpr bool is_real = !std::is_same_v<In, Complex>, is_float = sizeof(Complex) == 8;
    CufftProblem problem{.n = args.in.size, .is_real = is_real, .is_float = is_float};
    if constexpr (requires { args.batch; })
      problem.n = args.n(), problem.count = args.batch;
    else if constexpr (requires { args.m; })
      problem.n = args.n, problem.rows = args.m;
    return problem;
  }
};

}  // namespace tallcache::gpu::peers
