#include "bench/results/device_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/results/machine_json.hpp"

namespace tallcache {
namespace {

constexpr const char* key = "device_state";

struct States {
  std::string device;  // "gpu 0"
  Figure<DeviceState> before, after;
};

std::vector<States> states_of(const Document& document) {
  std::vector<States> list;
  for (const Json& json : document.context.value(key, Json::array())) {
    const auto state = [&](const char* when) {
      const nlohmann::json figure = json.at(when);
      return figure.contains("absent") ? Figure<DeviceState>::none(figure["absent"])
                                       : Figure<DeviceState>(figure.get<DeviceState>());
    };
    list.push_back({fmt::format("{} {}", json.at("backend").get<std::string>(), json.at("device").get<int>()),
                    state("before"), state("after")});
  }
  return list;
}

// An idle device and clocks that someone has set are no throttling.
bool is_throttling(const std::string& reason) {
  constexpr std::array<std::string_view, 2> usual{"gpu_idle", "applications_clocks_setting"};
  return std::ranges::find(usual, reason) == usual.end();
}

// What held the clocks down, at either moment or between them.
std::vector<std::string> throttling(const DeviceState& before, const DeviceState& after) {
  std::vector<std::string> list;
  for (const DeviceState* state : {&before, &after})
    if (state->throttle_reasons)
      for (const std::string& reason : *state->throttle_reasons)
        if (is_throttling(reason) && std::ranges::find(list, reason) == list.end()) list.push_back(reason);
  const auto add_time = [&](const char* what, const Figure<double>& start, const Figure<double>& end) {
    if (start && end && *end > *start) list.push_back(fmt::format("{} for {:.2g} s", what, *end - *start));
  };
  add_time("its power limit", before.power_throttled_s, after.power_throttled_s);
  add_time("its temperature", before.thermal_throttled_s, after.thermal_throttled_s);
  return list;
}

// "345 -> 1980 MHz"; "unknown (why)"
template <class T>
std::string change(const Figure<T>& before, const Figure<T>& after, const char* unit) {
  if (!before || !after) return fmt::format("unknown ({})", before ? after.absent : before.absent);
  return fmt::format("{} -> {} {}", *before, *after, unit);
}

std::string line_of(const States& states) {
  if (!states.before || !states.after)
    return fmt::format("{}: state unknown ({})", states.device,
                       states.before ? states.after.absent : states.before.absent);
  const DeviceState &before = *states.before, &after = *states.after;
  const auto reasons = throttling(before, after);
  const Figure<std::vector<std::string>>& now = after.throttle_reasons;
  const std::string verdict = !reasons.empty() ? fmt::format("throttled ({})", fmt::join(reasons, "; "))
                              : now            ? "not throttled"
                                               : fmt::format("throttling unknown ({})", now.absent);
  return fmt::format("{}: SM clock {}, memory clock {}, power {}, temperature {}, {}", states.device,
                     change(before.sm_clock_mhz, after.sm_clock_mhz, "MHz"),
                     change(before.memory_clock_mhz, after.memory_clock_mhz, "MHz"),
                     change(before.power_w, after.power_w, "W"),
                     change(before.temperature_c, after.temperature_c, "C"), verdict);
}

Json json_of(const Figure<DeviceState>& state) {
  return state ? Json(nlohmann::json(*state)) : Json{{"absent", state.absent}};
}

}  // namespace

void put_device_state(Document& document, std::string_view backend, int device,
                      const Figure<DeviceState>& before, const Figure<DeviceState>& after) {
  document.context[key].push_back(
      {{"backend", backend}, {"device", device}, {"before", json_of(before)}, {"after", json_of(after)}});
}

std::string device_state_text(const Document& document) {
  std::string text;
  for (const States& states : states_of(document)) text += line_of(states) + "\n";
  return text;
}

std::string throttling_text(const Document& document) {
  std::string text;
  for (const auto& [device, before, after] : states_of(document)) {
    if (!before || !after) continue;
    if (const auto reasons = throttling(*before, *after); !reasons.empty())
      text +=
          fmt::format("{}{} was throttled ({})", text.empty() ? "" : ", ", device, fmt::join(reasons, "; "));
  }
  return text;
}

}  // namespace tallcache
