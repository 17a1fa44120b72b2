#include "cpu/peers/scipy_floyd_warshall.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

// To SciPy a weight of 0 is no edge, but the least number above 0 is one, which every sum loses; in an array
// without a mask, all weights up to 1e-8 are none.
constexpr const char* definitions = R"(
def _tallcache_paths(address, n, ld, whole_numbers, saturated, infinite):
    import ctypes
    import numpy as np
    from scipy.sparse.csgraph import floyd_warshall
    memory = (ctypes.c_char * (((n - 1) * ld + n) * 4)).from_address(address)
    weights = np.ndarray((n, n), np.int32 if whole_numbers else np.float32, memory, strides=(ld * 4, 4))
    wide = weights.astype(np.float64)
    if whole_numbers:
        wide[weights >= saturated] = np.inf
    if (wide.diagonal() < 0).any():
        raise ValueError("negative cycle")
    wide[wide == 0] = 5e-324
    wide = floyd_warshall(np.ma.masked_invalid(wide, copy=False), overwrite=True)
    if whole_numbers:
        wide[np.isinf(wide)] = infinite
    weights[...] = wide
)";

// Where a Python of minor version `minor` looks for its packages.
bool has_scipy(int minor) {
  const std::string version = "python3." + std::to_string(minor);
  std::vector<std::string> folders{"/usr/local/lib/" + version + "/dist-packages",
                                   "/usr/local/lib/" + version + "/site-packages",
                                   "/usr/lib/python3/dist-packages", "/usr/lib/" + version + "/site-packages",
                                   "/usr/lib64/" + version + "/site-packages"};
  if (const char* path = std::getenv("PYTHONPATH"))
    for (std::string_view rest = path; !rest.empty();) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  return std::ranges::any_of(folders, [](const std::string& folder) {
    return std::filesystem::exists(folder + "/scipy/sparse/csgraph/__init__.py");
  });
}

struct Python {
  std::string reason = "no SciPy with a shared library of Python 3 (packages python3-scipy, libpython3-dev)";
  void (*initialize)(int signal_handlers) = nullptr;
  void* (*release_all)() = nullptr;
  int (*ensure)() = nullptr;
  void (*release)(int state) = nullptr;
  int (*run)(const char* text, void* flags) = nullptr;
  std::once_flag started;

  Python() {
    for (int minor = 20; minor >= 8 && !run; --minor) {
      if (!has_scipy(minor)) continue;
      const std::string name = "libpython3." + std::to_string(minor) + ".so.1.0";
      // Extension modules expect the interpreter's names among the global ones.
      void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (library && find(library, "Py_InitializeEx", initialize) &&
          find(library, "PyEval_SaveThread", release_all) && find(library, "PyGILState_Ensure", ensure) &&
          find(library, "PyGILState_Release", release) && find(library, "PyRun_SimpleStringFlags", run))
        reason.clear();
    }
  }

  void execute(const std::string& text) {
    std::call_once(started, [&] {
      initialize(0);
      release_all();
    });
    const int state = ensure();
    const int status = run(text.c_str(), nullptr);
    release(state);
    if (status != 0) throw Error("scipy_floyd_warshall: Python failed; what it says is above");
  }
};

Python& python() {
  static Python loaded;
  return loaded;
}

}  // namespace

const std::string& scipy_reason() { return python().reason; }

void scipy_paths(const void* weights, Index n, Index ld, bool whole_numbers) {
  if (n == 0) return;
  static const bool defined = (python().execute(definitions), true);
  static_cast<void>(defined);
  using Whole = PathWeight<std::int32_t>;
  std::string call = "_tallcache_paths(";
  for (const auto value : {static_cast<Index>(reinterpret_cast<std::uintptr_t>(weights)), n, ld,
                           Index{whole_numbers}, Index{Whole::saturated}, Index{Whole::infinite}})
    call += std::to_string(value) + ", ";
  python().execute(call + ")");
}

}  // namespace tallcache::cpu::peers
