// What the peers that are loaded at run time need of the dynamic loader.
#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>
#include <vector>

namespace tallcache::cpu::peers {

/// Sets an environment variable for its lifetime.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// The function of that name and whether there is one.
template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function;
}

/// What the dynamic loader says of the last failure.
std::string loader_error();

/// The folders that the dynamic loader searches, in its order: LD_LIBRARY_PATH, then the system's.
std::vector<std::string> loader_folders();

/// The file of a library that dlopen has opened.
std::string file_of(void* library);

/// Another copy of the library in this process, with local symbols and state of its own: one loaded already
/// is not taken for it. It stays until the process ends. Throws Error with the reason.
void* load_copy(const std::string& path);

}  // namespace tallcache::cpu::peers
