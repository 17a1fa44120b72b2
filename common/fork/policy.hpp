// The choice of the fork policy of parallel runs.
#pragma once

#include <array>
#include <string_view>

namespace tallcache {

/// The policies under which a program runs in parallel.
enum class ForkPolicy { onetbb, heartbeat };
inline constexpr std::array fork_policies{ForkPolicy::onetbb, ForkPolicy::heartbeat};

inline constexpr ForkPolicy default_fork_policy = ForkPolicy::heartbeat;

/// The policy's name on the command line and in documents.
constexpr std::string_view name_of(ForkPolicy policy) {
  return policy == ForkPolicy::onetbb ? "onetbb" : "heartbeat";
}

/// Sets the policy of runs that begin from now on; at first default_fork_policy.
void set_fork_policy(ForkPolicy policy);
ForkPolicy fork_policy();

}  // namespace tallcache
