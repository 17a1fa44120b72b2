#include "bench/results/resume.hpp"

#include <fmt/format.h>

namespace tallcache {
namespace {

constexpr const char* settings[] = {"/cpu",
                                    "/usable_cores",
                                    "/gpu",
                                    "/cuda",
                                    "/build/commit",
                                    "/build/source_digest",
                                    "/build/compiler",
                                    "/build/type",
                                    "/build/flags",
                                    "/build/textbook_flags",
                                    "/build/cuda_compiler",
                                    "/build/cuda_flags",
                                    "/mode",
                                    "/seed",
                                    "/fork"};

std::string setting(const Json& context, const char* name) {
  const Json::json_pointer pointer(name);
  if (!context.contains(pointer)) return "nothing";
  const Json& value = context[pointer];
  return value.is_string() ? fmt::format("'{}'", value.get<std::string>()) : value.dump();
}

}  // namespace

std::string changed_setting(const Json& there, const Json& here) {
  for (const char* name : settings)
    if (const std::string old = setting(there, name), now = setting(here, name); old != now)
      return fmt::format("{} is {} there and {} here", name + 1, old, now);
  return {};
}

}  // namespace tallcache
