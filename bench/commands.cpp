#include "bench/commands.hpp"

namespace tallcache {

void add_commands(CLI::App& app) {
  add_list(app);
  add_run(app);
  add_machine(app);
  add_reproduce(app);
  add_compare(app);
  add_steps(app);
  add_peers(app);
  add_report(app);
  add_profile(app);
#ifdef TALLCACHE_HAS_PAPI
  add_misses(app);
#endif
}

}  // namespace tallcache
