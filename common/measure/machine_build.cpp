#include "build_commit.hpp"
#include "build_facts.hpp"
#include "common/measure/machine.hpp"

namespace tallcache {

Build describe_build() {
  return {.version = build_facts::version,
          .commit = build_facts::commit,
          .compiler = build_facts::compiler,
          .type = build_facts::type,
          .flags = build_facts::flags,
          .textbook_flags = build_facts::textbook_flags};
}

}  // namespace tallcache
