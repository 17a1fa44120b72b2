// tallcache ranks in the program without MPI.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/studies/ranks/over_ranks.hpp"

namespace tallcache {

void run_over_ranks(const RanksOptions&) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tallcache_ranks";
  if (!std::filesystem::exists(program))
    throw Error(
        "built without MPI (Debian and Ubuntu: libopenmpi-dev): ranks can be counted (--count) and "
        "simulated (--simulate)",
        Status::unavailable);
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at += std::strlen(words.data() + at) + 1)
    arguments.push_back(words.data() + at);
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  throw Error(program.string() + " cannot be started: " + std::strerror(errno));
}

}  // namespace tallcache
