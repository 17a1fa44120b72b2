#include "common/papi/simulated.hpp"

#include <sde_lib.h>

#include <mutex>
#include <string>

#include "common/error.hpp"

namespace tallcache {
namespace {

constexpr char library[] = "tallcache";

#define TALLCACHE_LEVEL(n)                                                                  \
  {"L" #n "_DCA", "Simulated level " #n " data-cache accesses"},                            \
      {"L" #n "_DCM", "Simulated level " #n " data-cache misses"},                          \
      {"L" #n "_COLD", "Simulated level " #n " cold misses: the first access to a line"},   \
      {"L" #n "_CAPACITY",                                                                  \
       "Simulated level " #n " capacity misses: a fully associative LRU cache misses too"}, \
      {"L" #n "_CONFLICT",                                                                  \
       "Simulated level " #n " conflict misses: a fully associative LRU cache would hit"},  \
  {                                                                                         \
    "L" #n "_WB", "Simulated level " #n " lines written back to the level below"            \
  }

#define TALLCACHE_GPU(prefix, source)                                                                \
  {prefix "_GLOBAL_LOAD_REQUESTS", "Global loads of a GPU's warps, " source},                        \
      {prefix "_GLOBAL_LOAD_SECTORS", "Sectors of 32 bytes that they load, " source},                \
      {prefix "_GLOBAL_STORE_REQUESTS", "Global stores of a GPU's warps, " source},                  \
      {prefix "_GLOBAL_STORE_SECTORS", "Sectors of 32 bytes that they store, " source},              \
      {prefix "_GLOBAL_ATOMIC_REQUESTS", "Global atomics and reductions of a GPU's warps, " source}, \
      {prefix "_GLOBAL_ATOMIC_SECTORS", "Sectors of 32 bytes of global atomics, " source},           \
      {prefix "_SHARED_LOAD_REQUESTS", "Shared loads of a GPU's warps, " source},                    \
      {prefix "_SHARED_LOAD_WAVEFRONTS", "Passes of shared memory for loads, " source},              \
      {prefix "_SHARED_STORE_REQUESTS", "Shared stores of a GPU's warps, " source},                  \
      {prefix "_SHARED_STORE_WAVEFRONTS", "Passes of shared memory for stores, " source},            \
      {prefix "_SHARED_ATOMIC_REQUESTS", "Shared atomics of a GPU's warps, " source}, {              \
    prefix "_SHARED_ATOMIC_WAVEFRONTS", "Passes of shared memory for atomics, " source               \
  }

// Names are string literals, hence null-terminated for libsde.
constexpr std::array<SimulatedEvent, SimulatedCounters::size> events{{
    {"ACCESSES", "Element loads and stores of the traced algorithm"},
    {"LOADS", "Element loads of the traced algorithm"},
    {"STORES", "Element stores of the traced algorithm"},
    {"STRADDLING", "Element accesses that touched more than one cache line"},
    TALLCACHE_LEVEL(1),
    TALLCACHE_LEVEL(2),
    TALLCACHE_LEVEL(3),
    {"LRU_MISSES", "Misses of the (Z, L) ideal cache with least-recently-used replacement"},
    {"OPT_MISSES", "Misses of the (Z, L) ideal cache with optimal (offline) replacement"},
    {"TRUE_SHARING", "Misses on a word that another thread wrote (MSI coherence)"},
    {"FALSE_SHARING", "Misses on a line of which another thread wrote other words (MSI coherence)"},
    TALLCACHE_GPU("GPU", "by the request model"),
    TALLCACHE_GPU("DEVICE", "as the device's own counters have them"),
}};
#undef TALLCACHE_GPU
#undef TALLCACHE_LEVEL

long long read(void* event) {
  return simulated_counters().total(static_cast<Simulated>(reinterpret_cast<std::intptr_t>(event)));
}

// The counters are registered as callbacks, so that libsde reads an atomic. They are read-only: PAPI_write
// must not change the count of a model. Mode delta: an event set counts from its own start, as with a
// hardware event; mode instant would include everything before it.
bool announce(const papi_sde_fptr_struct_t& sde, papi_handle_t handle, std::size_t event) {
  const char* name = events[event].name.data();
  return sde.register_counter_cb(handle, name, PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &read,
                                 reinterpret_cast<void*>(event)) == SDE_OK &&
         sde.describe_counter(handle, name, events[event].description.data()) == SDE_OK;
}

}  // namespace

std::span<const SimulatedEvent> simulated_events() { return events; }

std::string_view papi_name(Simulated event) {
  static const auto names = [] {
    std::array<std::string, SimulatedCounters::size> list;
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = std::string("sde:::") + library + "::" + std::string(events[i].name);
    return list;
  }();
  return names[static_cast<std::size_t>(event)];
}

void SimulatedCounters::publish(std::initializer_list<Simulated> list) {
  static std::mutex mutex;
  static papi_sde_fptr_struct_t sde = [] {
    papi_sde_fptr_struct_t functions{};
    POPULATE_SDE_FPTR_STRUCT(functions);
    return functions;
  }();
  const std::lock_guard lock(mutex);
  for (Simulated event : list) {
    if (published(event)) continue;
    const papi_handle_t handle = sde.init(library);  // the same handle each time
    if (!handle || !announce(sde, handle, index(event)))
      throw Error("PAPI's libsde does not register " + std::string(papi_name(event)));
    counters_[index(event)].published = true;
  }
}

bool SimulatedCounters::published(Simulated event) const { return counters_[index(event)].published; }

void SimulatedCounters::add(Simulated event, long long count) {
  if (!published(event)) throw Error(std::string(papi_name(event)) + " is counted but was not published");
  counters_[index(event)].value.fetch_add(count, std::memory_order_relaxed);
}

SimulatedCounters& simulated_counters() {
  static SimulatedCounters counters;
  return counters;
}

}  // namespace tallcache

// PAPI's tools look this name up in a library to list the events that it can register.
extern "C" papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t* sde) {
  const papi_handle_t handle = sde->init(tallcache::library);
  for (std::size_t event = 0; event < tallcache::events.size(); ++event)
    tallcache::announce(*sde, handle, event);
  return handle;
}
