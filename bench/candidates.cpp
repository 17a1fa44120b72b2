#include "bench/candidates.hpp"

#include <fmt/format.h>

#include "common/catalogue.hpp"

namespace tallcache {

std::vector<Candidate> candidates(const Operation& operation, std::span<const std::string> names,
                                  std::span<const std::string> params, int threads) {
  std::vector<Candidate> list;
  if (names.empty())
    for (const Variant* variant : variants_of(operation))
      if (threads == 1 || variant->parallel) list.push_back({.variant = variant, .threads = threads});
  for (const std::string& name : names)
    list.push_back({.variant = &find_variant(operation, name), .threads = threads});
  if (list.empty()) throw Error(fmt::format("no variant of {} runs on several threads", operation.name));
  for (const std::string& text : params) {
    const std::string name = text.substr(0, text.find('='));
    bool known = false;
    for (Candidate& candidate : list)
      for (const ParamSpec& spec : candidate.variant->params)
        if (spec.name == name) {
          candidate.params.set(spec.name, parse_params(*candidate.variant, text)[spec.name]);
          known = true;
        }
    if (!known)
      parse_params(*list.front().variant, text), throw Error(fmt::format("no variant here has '{}'", name));
  }
  return list;
}

void add_threads(CLI::App& command, ThreadOptions& options) {
  command.add_option("--threads", options.count, "Threads, of which the caller is one")
      ->capture_default_str();
  command.add_flag("--no-pinning", options.no_pinning, "Leave it to the system where threads run");
}

Threads::Threads(const ThreadOptions& options)
    : control_(tbb::global_control::max_allowed_parallelism,
               (require_threads(options.count), static_cast<std::size_t>(options.count))) {
  pin_threads(!options.no_pinning);
}

}  // namespace tallcache
