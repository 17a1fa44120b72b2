#include "cpu/peers/fftw_wisdom.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tallcache::cpu::peers {

namespace fs = std::filesystem;

namespace {

// The lines that tell one kind of processor from another, of the first one.
std::string processor() {
  constexpr std::array<std::string_view, 8> keys{"vendor_id",       "cpu family", "model",       "stepping",
                                                 "CPU implementer", "CPU part",   "CPU variant", "flags"};
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();)
    for (const std::string_view key : keys)
      if (line.starts_with(key)) text += line;
  return text;
}

// FNV-1a.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return value;
}

}  // namespace

std::string cache_folder() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache && *cache == '/') return std::string(cache) + "/tallcache";
  return home && *home ? std::string(home) + "/.cache/tallcache" : "";
}

std::string wisdom_file(std::string_view version, std::string_view build) {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  return fmt::format("{}/{}-{:016x}.wisdom", folder, version,
                     hash(fmt::format("{}\n{}\n{}", version, build, processor())));
}

void Wisdom::load() const {
  std::error_code none;
  if (file_.empty() || !fs::exists(file_, none) || import_(file_.c_str())) return;
  fmt::print(stderr, "tallcache: {} holds no wisdom of this FFTW: ignored\n", file_);
}

void Wisdom::save() const {
  if (file_.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(file_).parent_path(), error);
  if (fs::exists(file_, error)) import_(file_.c_str());  // what another process has added
  const std::string whole = fmt::format("{}.{}", file_, getpid());
  if (export_(whole.c_str()))
    fs::rename(whole, file_, error);
  else
    fs::remove(whole, error);
}

}  // namespace tallcache::cpu::peers
