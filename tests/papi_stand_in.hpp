// A stand-in for libpapi, of a processor that counts: a test linked with it finds these functions in place of
// PAPI's, and says which events there are, which are refused and how, and what is counted.
//
// Each thread has its own counts, as on a processor. An event set counts the thread that made it.
#pragma once

#include <papi.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tallcache::stand_in {

struct StandInEvent {
  std::string name;     ///< "PAPI_L1_DCM": a preset; any other: a native event
  int counters = 1;     ///< how many of the processor's it takes
  int query = PAPI_OK;  ///< what PAPI_query_event says; PAPI_ENOEVNT: known, and not on this processor
  int add = PAPI_OK;    ///< what PAPI_add_event says
  int start = PAPI_OK;  ///< what PAPI_start of a set with it says
  int stop = PAPI_OK;   ///< what PAPI_stop of a set with it says
  int start_elsewhere = PAPI_OK;  ///< what PAPI_start says on another thread than install()'s
  /// What the k-th PAPI_stop that reads it finds beside what count() said, the last one from then on: for
  /// work that cannot call count().
  std::vector<long long> each_run{};
};

struct Processor {
  int counters = 4;
  std::vector<StandInEvent> events;                            ///< with those, at most 64
  std::vector<std::pair<std::string, std::string>> conflicts;  ///< that do not go into one set
  std::string disabled;     ///< why PAPI's component for the processor is disabled; empty when it is not
  int multiplex = PAPI_OK;  ///< what PAPI_set_multiplex says
};

/// The processor from now on; no event set of another one may be left. Presets that PAPI knows and the
/// processor does not have are added as such.
void install(Processor processor);

/// `count` more of `event` on the calling thread.
void count(std::string_view event, long long count);

/// The calling thread's counters are handed to the next events of a multiplexed set.
void next_turn();

/// Event sets that were made and not destroyed.
int sets_left();

}  // namespace tallcache::stand_in
