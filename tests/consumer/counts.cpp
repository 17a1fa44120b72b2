// The loads of a traced run, as PAPI reads them from the events that the model feeds.
#include <tallcache/count.hpp>

int main() {
  tallcache::simulated_counters().publish({tallcache::Simulated::loads});
  const std::string event(tallcache::papi_name(tallcache::Simulated::loads));
  const auto counts = tallcache::Counting({event}).run(
      [] { tallcache::simulated_counters().add(tallcache::Simulated::loads, 42); });
  return counts[0].value == 42 ? 0 : 1;
}
