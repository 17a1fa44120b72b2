#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "blas/threads.hpp"

namespace tallcache::blas {
namespace {

using InParallel = int (*)();

/// How many libraries the process has loaded and unloaded so far.
struct Loaded {
  unsigned long long added = 0, removed = 0;
  friend bool operator==(const Loaded&, const Loaded&) = default;
};

Loaded loaded_so_far() {
  Loaded loaded;
  const auto read = [](dl_phdr_info* info, std::size_t size, void* to) {
    if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
      *static_cast<Loaded*>(to) = {info->dlpi_adds, info->dlpi_subs};
    return 1;  // the first one knows
  };
  dl_iterate_phdr(read, &loaded);
  return loaded;
}

/// omp_in_parallel of each runtime.
struct Runtimes {
  void add(InParallel one) {
    if (one && size < list.size() && !has(one)) list[size++] = one;
  }
  bool has(InParallel one) const {
    return std::find(list.begin(), list.begin() + size, one) != list.begin() + size;
  }

  std::array<InParallel, 16> list{};
  std::size_t size = 0;
};

InParallel in_parallel_of(void* library) {
  return reinterpret_cast<InParallel>(dlsym(library, "omp_in_parallel"));
}

/// The loaded libraries whose names have "omp" in them, as libgomp.so.1, libomp.so.5, libiomp5.so and what a
/// Python wheel makes of such a name. Of those that were loaded for another library alone, the dynamic
/// linker's search knows nothing.
std::vector<std::string> named_as_runtimes() {
  std::vector<std::string> names;
  const auto collect = [](dl_phdr_info* info, std::size_t, void* to) {
    const char* const slash = std::strrchr(info->dlpi_name, '/');
    try {
      if (std::strstr(slash ? slash : info->dlpi_name, "omp"))
        static_cast<std::vector<std::string>*>(to)->push_back(info->dlpi_name);
    } catch (...) {  // without memory a runtime stays unknown until the next library is loaded
    }
    return 0;
  };
  dl_iterate_phdr(collect, &names);
  return names;
}

/// A runtime that is found stays loaded, so that it can be asked.
Runtimes look(const Runtimes& before) {
  Runtimes now;
  now.add(in_parallel_of(RTLD_DEFAULT));
  for (const std::string& name : named_as_runtimes())
    if (void* const library = dlopen(name.c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
      const InParallel one = in_parallel_of(library);
      if (!one || before.has(one) || now.has(one)) dlclose(library);
      now.add(one);
    }
  return now;
}

}  // namespace

bool in_openmp_region() noexcept {
  static constinit std::mutex mutex;
  static constinit Runtimes found;
  static constinit Loaded when_found{ULLONG_MAX, ULLONG_MAX};  // not yet
  const Loaded loaded = loaded_so_far();
  std::unique_lock lock(mutex);
  Runtimes runtimes = found;
  if (loaded != when_found) {
    // Not under the lock, as the dynamic linker has one of its own, under which a library's constructor may
    // call.
    lock.unlock();
    try {
      runtimes = look(runtimes);
    } catch (...) {
    }
    lock.lock();
    found = runtimes;
    when_found = loaded;
  }
  lock.unlock();
  return std::any_of(runtimes.list.begin(), runtimes.list.begin() + runtimes.size,
                     [](InParallel one) { return one() != 0; });
}

}  // namespace tallcache::blas
