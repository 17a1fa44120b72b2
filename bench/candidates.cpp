#include "bench/candidates.hpp"

#include <fmt/format.h>

#include "common/catalogue.hpp"

namespace tallcache {

std::vector<Candidate> candidates(const Operation& operation, std::span<const std::string> names,
                                  std::span<const std::string> params) {
  std::vector<Candidate> list;
  if (names.empty())
    for (const Variant* variant : variants_of(operation)) list.push_back({variant});
  for (const std::string& name : names) list.push_back({&find_variant(operation, name)});
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

}  // namespace tallcache
