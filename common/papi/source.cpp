#include "common/papi/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/catalogue.hpp"
#include "common/papi/event_set.hpp"
#include "common/papi/events.hpp"

namespace tallcache {
namespace {

// A processor may not count data misses apart (L3 often counts all misses). The total is then used; the event
// that was read is always named.
constexpr std::string_view l1_misses[] = {"PAPI_L1_DCM", "PAPI_L1_TCM"};
constexpr std::string_view l2_misses[] = {"PAPI_L2_DCM", "PAPI_L2_TCM"};
constexpr std::string_view l3_misses[] = {"PAPI_L3_DCM", "PAPI_L3_TCM"};
constexpr std::string_view l1_accesses[] = {"PAPI_L1_DCA", "PAPI_LST_INS"};
constexpr std::string_view l2_accesses[] = {"PAPI_L2_DCA", "PAPI_L2_TCA"};
constexpr std::string_view l3_accesses[] = {"PAPI_L3_DCA", "PAPI_L3_TCA"};
constexpr std::string_view loads[] = {"PAPI_LD_INS"};
constexpr std::string_view stores[] = {"PAPI_SR_INS"};
constexpr std::string_view cycles[] = {"PAPI_TOT_CYC"};
constexpr std::string_view instructions[] = {"PAPI_TOT_INS"};
constexpr std::string_view vector_double[] = {"PAPI_VEC_DP", "PAPI_VEC_INS"};
constexpr std::string_view vector_single[] = {"PAPI_VEC_SP", "PAPI_VEC_INS"};

template <Simulated event>
constexpr Simulated of = event;

constexpr std::array all{
    Countable{"L1 data misses", l1_misses, &of<Simulated::l1_misses>},
    Countable{"L2 data misses", l2_misses, &of<Simulated::l2_misses>},
    Countable{"L3 data misses", l3_misses, &of<Simulated::l3_misses>},
    Countable{"L1 data accesses", l1_accesses, &of<Simulated::l1_accesses>},
    Countable{"L2 data accesses", l2_accesses, &of<Simulated::l2_accesses>},
    Countable{"L3 data accesses", l3_accesses, &of<Simulated::l3_accesses>},
    Countable{"loads", loads, &of<Simulated::loads>},
    Countable{"stores", stores, &of<Simulated::stores>},
    Countable{"cycles", cycles, nullptr},
    Countable{"instructions", instructions, nullptr},
    Countable{"vector instructions, double", vector_double, nullptr},
    Countable{"vector instructions, single", vector_single, nullptr},
};

// PAPI's reason why `name` cannot be counted, or empty. It is found by adding the event, because a
// processor's event can be listed and still be refused (a virtual machine without counters, a
// missing permission).
std::string refusal(std::string_view name) {
  const Event event = find_event(name);
  return event.unavailable.empty() ? EventSet().admit(event) : event.unavailable;
}

EventChoice hardware_event(const Countable& quantity) {
  EventChoice choice;
  for (std::string_view name : quantity.hardware) {
    const std::string reason = refusal(name);
    if (reason.empty()) return {std::string(name), {}};
    if (choice.reason.empty()) choice.reason = fmt::format("{}: {}", name, reason);
  }
  return choice;
}

}  // namespace

std::span<const Countable> quantities() { return all; }

Source parse_source(std::string_view text) {
  static constexpr std::string_view names[] = {"hardware", "simulated", "auto"};
  for (Source source : {Source::hardware, Source::simulated, Source::automatic})
    if (to_string(source) == text) return source;
  throw Error(unknown_name("source", text, names));
}

SourceChoice choose_source(Source asked) {
  if (asked == Source::simulated) return {asked, "simulated: as asked"};
  std::string reason;
  for (std::string_view quantity : {"L1 data misses", "L2 data misses", "L3 data misses"}) {
    const EventChoice choice = event_for(quantity, Source::hardware);
    if (choice.reason.empty())
      return {Source::hardware, fmt::format("hardware: PAPI counts {} here", choice.event)};
    if (reason.empty()) reason = choice.reason;
  }
  if (asked == Source::hardware) throw Error("no hardware counters here: " + reason);
  return {Source::simulated, "simulated: no hardware counters here: " + reason};
}

EventChoice event_for(std::string_view name, Source source) {
  const auto found = std::ranges::find(all, name, &Countable::name);
  if (found == all.end()) {
    std::vector<std::string_view> names;
    for (const Countable& quantity : all) names.push_back(quantity.name);
    throw Error(unknown_name("quantity", name, names));
  }
  if (source == Source::automatic) source = choose_source(source).source;
  if (source == Source::hardware) return hardware_event(*found);
  if (!found->simulated) return {{}, "needs hardware counters"};
  return {std::string(papi_name(*found->simulated)), {}};
}

}  // namespace tallcache
