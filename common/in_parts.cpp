#include "common/in_parts.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "common/ceil_div.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache {

void in_parts(Index n, Index grain, const std::function<void(Index, Index)>& body) {
  if (n <= 0) return;
  if (n <= grain) return body(0, n);
  const int threads = default_threads();
  in_arena(threads, [&] {
    OneTbb{threads}.loop(0, ceil_div(n, grain), 1,
                         [&](Index part) { body(part * grain, std::min(n, (part + 1) * grain)); });
  });
}

Check first_wrong(Index n, Index grain, const std::function<Check(Index, Index)>& check) {
  std::atomic<Index> first{n};
  std::mutex mutex;
  Check wrong;
  in_parts(n, grain, [&](Index begin, Index end) {
    if (begin >= first) return;
    Check found = check(begin, end);
    if (found) return;
    const std::lock_guard lock(mutex);
    if (begin >= first) return;
    first = begin;
    wrong = std::move(found);
  });
  return wrong;
}

}  // namespace tallcache
