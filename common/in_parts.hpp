// Work on large arrays around a run (inputs, checks), on all threads.
#pragma once

#include <functional>

#include "common/operation.hpp"

namespace tallcache {

/// body(begin, end) for the parts of [0, n), each of `grain` indices, the last perhaps of fewer. The parts
/// are the same for any number of threads; one part alone runs on the calling thread.
void in_parts(Index n, Index grain, const std::function<void(Index begin, Index end)>& body);

/// As in_parts(): of the parts whose check is wrong, that of the first one. Parts behind one that is known to
/// be wrong may be left out.
Check first_wrong(Index n, Index grain, const std::function<Check(Index begin, Index end)>& check);

/// The rows of a part of about 2^16 elements.
constexpr Index rows_of_part(Index cols) {
  return cols < (Index{1} << 16) ? (Index{1} << 16) / (cols + 1) + 1 : 1;
}

}  // namespace tallcache
