#include "common/fork/decide.hpp"

namespace tallcache::detail {

void ForkState::poll(Time now) {
  end_strand(now);
  if (until_poll <= 0) {
    const Time wanted = forks * polling / std::max<Time>(1, now - polled);
    forks = static_cast<int>(std::clamp<Time>(wanted, 1, std::min(2 * forks, most_forks)));
  }
  until_poll = forks;
  polled = now;
}

void ForkState::end_strand(Time now) {
  const int since_poll = std::max(1, forks - std::max(0, until_poll));
  short_strands = (now - polled) / since_poll >= sharing ? 0 : std::min(short_strands + 1, several);
}

void ForkState::expect(Time now, Time nanoseconds) {
  polled = now;
  ends = now + nanoseconds;
  forks = until_poll = 1;
}

Time ForkState::promote(Time now) {
  const Time half = foretold(now) / 2;
  ends = now + half;
  begun = 0;
  return half;
}

int decide(const Situation& known, Time now) {
  const ForkState& thread = known.thread;
  const Time work = thread.work(now);
  const bool at_once = thread.foretold(now) >= 2 * promotion || thread.short_strands < several;
  if (work < sharing || (now - known.seen < promotion && !at_once)) return 0;
  if (work < waking) return known.idle;
  return at_once ? known.threads - 1 : std::max(1, known.idle);
}

}  // namespace tallcache::detail
