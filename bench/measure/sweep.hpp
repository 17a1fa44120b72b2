// Sweeps of sizes on the command line.
#pragma once

#include <string>
#include <vector>

namespace tallcache {

/// The most shapes of one sweep.
inline constexpr std::size_t most_swept = 1000;

/// The shapes that `text` names, in order: "m=64..256*2,k=8" is "m=64,k=8", "m=128,k=8" and "m=256,k=8", and
/// "m=100..300+100" has steps. Of several sweeps each is combined with each, the last one changing first. A
/// text without a sweep is returned as it is. Throws Error on a sweep that is none or has too many shapes.
std::vector<std::string> swept_shapes(const std::string& text);

}  // namespace tallcache
