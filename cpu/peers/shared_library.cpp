#include "cpu/peers/shared_library.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "common/error.hpp"

namespace tallcache::cpu::peers {
namespace {

// A copy of the file in memory, so that the loader takes it for another library. Its descriptor stays open:
// the loader identifies a library by its path, and a reused descriptor number would be taken for the first
// copy.
int anonymous_copy(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error("cannot read " + path);
  const int copy = memfd_create(std::filesystem::path(path).filename().c_str(), MFD_CLOEXEC);
  struct stat status {};
  bool complete = copy >= 0 && fstat(file, &status) == 0;
  for (off_t done = 0; complete && done < status.st_size;)
    complete = sendfile(copy, file, &done, static_cast<std::size_t>(status.st_size - done)) > 0;
  close(file);
  if (complete) return copy;
  if (copy >= 0) close(copy);
  throw Error("cannot copy " + path + " into memory");
}

}  // namespace

ScopedVariable::ScopedVariable(const char* name, const std::string& value) : name_(name) {
  if (const char* before = std::getenv(name)) before_ = before;
  setenv(name, value.c_str(), 1);
}

ScopedVariable::~ScopedVariable() {
  if (before_)
    setenv(name_, before_->c_str(), 1);
  else
    unsetenv(name_);
}

std::string loader_error() {
  const char* message = dlerror();
  return message ? message : "unknown error of the dynamic loader";
}

std::vector<std::string> loader_folders() {
  std::vector<std::string> folders;
  void* self = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (!self || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return folders;
  const auto memory = std::make_unique<std::byte[]>(size.dls_size);
  auto* info = reinterpret_cast<Dl_serinfo*>(memory.get());
  if (dlinfo(self, RTLD_DI_SERINFOSIZE, info) != 0 || dlinfo(self, RTLD_DI_SERINFO, info) != 0)
    return folders;
  for (unsigned i = 0; i < info->dls_cnt; ++i) folders.emplace_back(info->dls_serpath[i].dls_name);
  return folders;
}

std::string file_of(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

void* load_copy(const std::string& path) {
  const int copy = anonymous_copy(path);
  void* library = dlopen(("/proc/self/fd/" + std::to_string(copy)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library) return library;
  close(copy);
  throw Error(path + ": " + loader_error());
}

}  // namespace tallcache::cpu::peers
