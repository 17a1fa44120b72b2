// The outcome of a measurement. Exit codes and reports depend on it, never on the words of the reason.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tallcache {

enum class Status {
  pending,      ///< not measured yet; no finished measurement has it
  measured,     ///< verified before and after, and timed or counted
  unavailable,  ///< cannot run here: no library, no device, no counter
  unsupported,  ///< the variant does not do this shape, or not on so many threads
  wrong,        ///< ran, and its result is wrong: it has no time
  too_large,    ///< needs more memory or time than there is
  left_out,     ///< could run, and was not chosen to
  failed,       ///< threw: an error of the device, of a library or of the system
};

namespace detail {
inline constexpr std::array<std::pair<Status, std::string_view>, 8> status_names{
    {{Status::pending, "pending"},
     {Status::measured, "measured"},
     {Status::unavailable, "unavailable"},
     {Status::unsupported, "unsupported"},
     {Status::wrong, "wrong"},
     {Status::too_large, "too_large"},
     {Status::left_out, "left_out"},
     {Status::failed, "failed"}}};
}  // namespace detail

/// The status as results documents have it: "too_large".
constexpr std::string_view to_string(Status status) {
  for (const auto& [value, name] : detail::status_names)
    if (value == status) return name;
  return {};
}

/// The inverse of to_string.
constexpr std::optional<Status> parse_status(std::string_view text) {
  for (const auto& [value, name] : detail::status_names)
    if (name == text) return value;
  return {};
}

/// A status and, unless it is `measured`, the reason in words.
struct Outcome {
  Status status = Status::pending;
  std::string reason{};

  bool measured() const { return status == Status::measured; }
};

}  // namespace tallcache
