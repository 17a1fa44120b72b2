#include "common/warp/compiled_widths.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace tallcache::warp {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

std::string compiled_name(const char* type) {
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(type, nullptr, nullptr, nullptr), &std::free);
  if (!demangled) return {};
  std::string name = demangled.get();
  const std::size_t begin = name.find('<') + 1;
  name = name.substr(begin, name.rfind('>') - begin);
  replace_all(name, "tallcache::", "");
  replace_all(name, "warp::Counted", "Plain");
  while (name.ends_with(' ')) name.pop_back();
  return name;
}

std::span<const CompiledAccess> accesses_of(const CompiledWidths& widths, std::string_view kernel) {
  // clang++ 14 does not compile libstdc++'s equal_range.
  const auto& all = widths.accesses;
  return {std::ranges::lower_bound(all, kernel, {}, &CompiledAccess::kernel),
          std::ranges::upper_bound(all, kernel, {}, &CompiledAccess::kernel)};
}

}  // namespace tallcache::warp
