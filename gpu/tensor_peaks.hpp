// Matrix instructions of a GPU's tensor cores one behind the other, for their peak. No CUDA header here.
#pragma once

#include <string_view>
#include <vector>

#include "common/variant.hpp"

namespace tallcache::gpu {

/// What the kernels of a peak take.
struct PeakArgs {
  void* out;        ///< a double: the sum of all sums of the first warp's or warpgroup's first thread
  unsigned blocks;  ///< that run
};

/// One kind of matrix instruction, all of whose factors are 1.
struct TensorUnit {
  std::string_view element;
  int multiply_adds;      ///< of an instruction
  double instructions;    ///< of a block
  unsigned blocks_of_sm;  ///< that fill a multiprocessor
  double sum;             ///< what `out` must be
  Entry start;
};

/// Those of device number `device`: none before compute capability 8.0.
std::vector<TensorUnit> tensor_units(int device);

/// wgmma on bfloat16 and on TF32, which compute capability 9.0 alone has.
std::vector<TensorUnit> warpgroup_units();

}  // namespace tallcache::gpu
