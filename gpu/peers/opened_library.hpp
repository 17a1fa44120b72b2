// A library of the CUDA toolkit, opened when a peer first calls it. A program that does not use it neither
// needs nor loads it.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tallcache::gpu::peers {

/// The functions of lib<stem>.so.<major>: of the major version whose header gave them their types.
class OpenedLibrary {
 public:
  /// Looks in the loader's own folders, then in `folder`. `unavailable` becomes the reason why the library
  /// or a function of it cannot be had.
  OpenedLibrary(std::string_view stem, int major, std::string_view folder, std::string& unavailable)
      : soname_(fmt::format("{}.so.{}", stem, major)), unavailable_(unavailable) {
    handle_ = dlopen(soname_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) handle_ = dlopen(fmt::format("{}/{}", folder, soname_).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) unavailable_ = fmt::format("{} cannot be loaded", soname_);
  }

  template <class Function>
  void find(const char* name, Function& function) const {
    if (!handle_) return;
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!function) unavailable_ = fmt::format("{} has no {}", soname_, name);
  }

 private:
  std::string soname_;
  std::string& unavailable_;
  void* handle_;
};

}  // namespace tallcache::gpu::peers
