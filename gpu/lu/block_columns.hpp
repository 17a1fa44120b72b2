// The parameter of the decompositions that go from block to block of columns.
#pragma once

#include "common/variant.hpp"

namespace tallcache::gpu::lu {

inline constexpr Index numbers_of_columns[] = {0, 32, 64, 128, 256};
inline constexpr ParamSpec block_columns{.name = "block",
                                         .default_value = 0,
                                         .what = "columns of a block; 0: as suits",
                                         .min = 0,
                                         .choices = numbers_of_columns};

}  // namespace tallcache::gpu::lu
