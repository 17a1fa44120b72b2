// A place in a program's text.
#pragma once

#include <version>
#ifdef __cpp_lib_source_location
#include <source_location>
#endif
#include <cstdint>

namespace tallcache {

/// std::source_location, which clang's library has from version 16 on, as one type for every compiler: a
/// default argument Place::current() is the place of the call.
struct Place {
  const char* file = "";
  std::uint32_t line = 0, column = 0;

#ifdef __cpp_lib_source_location
  static constexpr Place current(
      const std::source_location& here = std::source_location::current()) noexcept {
    return {here.file_name(), here.line(), here.column()};
  }
#else
  static constexpr Place current(const char* file = __builtin_FILE(), std::uint32_t line = __builtin_LINE(),
                                 std::uint32_t column = __builtin_COLUMN()) noexcept {
    return {file, line, column};
  }
#endif

  /// A number for hash tables: another one for another place of the same file.
  std::uint64_t hash() const {
    return reinterpret_cast<std::uintptr_t>(file) * 0x9e3779b97f4a7c15 ^
           (static_cast<std::uint64_t>(line) << 16 | column);
  }
};

}  // namespace tallcache
