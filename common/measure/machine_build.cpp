#include "build_commit.hpp"
#include "build_facts.hpp"
#include "common/measure/machine.hpp"

namespace tallcache {

Build describe_build() {
  return {.version = build_facts::version,
          .commit = build_facts::commit,
          .source_digest = build_facts::source_digest,
          .compiler = build_facts::compiler,
          .type = build_facts::type,
          .flags = build_facts::flags,
          .textbook_flags = build_facts::textbook_flags,
          .cuda_compiler = build_facts::cuda_compiler,
          .cuda_flags = build_facts::cuda_flags};
}

}  // namespace tallcache
