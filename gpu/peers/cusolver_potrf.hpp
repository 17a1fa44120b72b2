// cuSOLVER's Cholesky decomposition.
#pragma once

#include <limits>

#include "common/ops/cholesky.hpp"
#include "gpu/peers/cusolver_library.hpp"

namespace tallcache::gpu::peers {

struct cusolver_potrf : OnCusolver {
  static constexpr std::string_view idea =
      "cusolverDnSpotrf and cusolverDnDpotrf on the upper triangle by columns, the lower one by rows";
  static constexpr std::string_view source = "cuSOLVER";
  using operations = OperationList<Cholesky<double>, Cholesky<float>>;

  static bool supports(const Shape& shape) {
    return shape["n"] + shape["pad"] <= std::numeric_limits<int>::max();
  }

  template <class T>
  static std::size_t scratch(Cholesky<T>, const Shape& shape, const Params&) {
    return scratch_bytes({sizeof(int), workspace<T>(shape["n"], shape["n"] + shape["pad"]) * sizeof(T)});
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    if (args.a.rows == 0) return;
    const int n = static_cast<int>(args.a.rows), ld = static_cast<int>(args.a.ld);
    Scratch<> scratch = args.scratch;
    int* const info = scratch.template vector<int>(1).data;
    const Index elements = workspace_left<T>(scratch);
    T* const work = scratch.template vector<T>(elements).data;
    const CusolverLibrary& library = cusolver_library();
    const auto function = by_type<T>(library.cusolverDnSpotrf, library.cusolverDnDpotrf);
    check_cusolver(function(cusolver_handle(launch), CUBLAS_FILL_MODE_UPPER, n, args.a.data, ld, work,
                            static_cast<int>(elements), info),
                   "cusolverDnpotrf");
  }

 private:
  template <class T>
  static std::size_t workspace(Index n, Index ld) {
    if (n == 0) return 0;
    return cusolver_workspace([&](const CusolverLibrary& library, cusolverDnHandle_t handle, int* elements) {
      const auto query = by_type<T>(library.cusolverDnSpotrf_bufferSize, library.cusolverDnDpotrf_bufferSize);
      return query(handle, CUBLAS_FILL_MODE_UPPER, static_cast<int>(n), nullptr, static_cast<int>(ld),
                   elements);
    });
  }
};

}  // namespace tallcache::gpu::peers
