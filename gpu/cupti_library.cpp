#ifdef TALLCACHE_CUPTI_FOLDER

#include "gpu/cupti_library.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>

#include "common/error.hpp"

namespace tallcache::gpu {
namespace {

Cupti loaded() {
  const std::string name = fmt::format("libcupti.so.{}", CUDART_VERSION / 1000);
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const char* folder : {"/", "/../extras/CUPTI/lib64/"})
    if (!handle) handle = dlopen((TALLCACHE_CUPTI_FOLDER + (folder + name)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw Error(name + " cannot be loaded", Status::unavailable);
  Cupti cupti;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
    if (!function) throw Error(fmt::format("{} has no {}", name, symbol), Status::unavailable);
  };
#define TALLCACHE_FIND(function) find(cupti.function, #function);
  TALLCACHE_CUPTI_FUNCTIONS(TALLCACHE_FIND)
#undef TALLCACHE_FIND
  return cupti;
}

}  // namespace

// Never unloaded: the process ends it.
const Cupti& cupti() {
  static const Cupti library = loaded();
  return library;
}

// CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, and what it means here.
std::string words(CUptiResult result) {
  const char* name = nullptr;
  if (cupti().cuptiGetResultString(result, &name) != CUPTI_SUCCESS || !name) name = "CUPTI's error";
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return fmt::format("{}: the driver gives counters to administrators alone", name);
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      return fmt::format("{}: another profiler is attached", name);
    default:
      return fmt::format("{} ({})", name, static_cast<int>(result));
  }
}

void check_cupti(CUptiResult result, const char* call) {
  if (result != CUPTI_SUCCESS) throw Error(fmt::format("{}: {}", call, words(result)), Status::unavailable);
}

}  // namespace tallcache::gpu

#endif
