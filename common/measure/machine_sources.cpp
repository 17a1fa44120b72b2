#include <algorithm>

#include "build_sources.hpp"

namespace tallcache {
namespace {

using build_facts::SourceList;

void append(std::vector<const Source*>& files, const SourceList& list) {
  for (const int place : std::span(build_facts::source_members).subspan(list.first, list.count))
    files.push_back(&build_facts::sources[place]);
}

// Variants of several folders have one name, as recursive of matmul and transpose; that of matmul has
// matmul_bt, too.
const SourceList* find_list(std::string_view backend, std::string_view operation, std::string_view variant) {
  const SourceList *found = nullptr, *only = nullptr;
  int named = 0;
  for (const SourceList& list : build_facts::source_lists) {
    if (list.name.empty() || list.backend != backend || list.name != variant) continue;
    only = ++named == 1 ? &list : nullptr;
    if (operation.starts_with(list.folder) && (!found || list.folder.size() > found->folder.size()))
      found = &list;
  }
  return found ? found : only;
}

}  // namespace

std::span<const Source> sources() { return build_facts::sources; }

const Source* find_source(std::string_view path) {
  const auto found = std::ranges::lower_bound(build_facts::sources, path, {}, &Source::path);
  return found != std::end(build_facts::sources) && found->path == path ? found : nullptr;
}

std::vector<const Source*> sources_of(std::string_view subject) {
  std::vector<const Source*> files;
  for (const SourceList& list : build_facts::source_lists)
    if (list.name.empty() && list.folder == subject) append(files, list);
  return files;
}

std::vector<const Source*> sources_of(std::string_view backend, std::string_view operation,
                                      std::string_view variant, int threads) {
  const SourceList* list = find_list(backend, operation, variant);
  if (!list) return {};
  std::vector<const Source*> files;
  append(files, *list);
  if (list->forks && threads > 1)
    for (const Source* file : sources_of("fork")) files.push_back(file);
  return files;
}

}  // namespace tallcache
