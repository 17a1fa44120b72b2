#include "common/fork/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tallcache {

int ProcessorSet::count() const {
  int count = 0;
  for (const unsigned long word : words_) count += std::popcount(word);
  return count;
}

int ProcessorSet::at(int index) const {
  for (int first = 0; const unsigned long whole : words_) {
    unsigned long word = whole;
    if (index >= std::popcount(word)) {
      index -= std::popcount(word);
    } else {
      while (index-- > 0) word &= word - 1;  // without its lowest bit
      return first + std::countr_zero(word);
    }
    first += word_bits;
  }
  return 0;
}

ProcessorSet processors_of(pid_t thread) {
  ProcessorSet set;
  if (sched_getaffinity(thread, sizeof set.words_, reinterpret_cast<cpu_set_t*>(set.words_.data())) != 0)
    return {};
  return set;
}

bool restrict_to(const ProcessorSet& set) {
  return sched_setaffinity(0, sizeof set.words_, reinterpret_cast<const cpu_set_t*>(set.words_.data())) == 0;
}

namespace {

bool is_main_thread() { return gettid() == getpid(); }

// The pins of the main thread, which other threads must see through.
struct MainThread {
  std::mutex mutex;
  int pins = 0;
  ProcessorSet given, outside;
};
constinit MainThread main_thread;
static_assert(std::is_trivially_destructible_v<MainThread>, "workers may still ask at exit");

}  // namespace

Pin pin_to(int processor) {
  const Pin pin{processors_of(0), ProcessorSet(processor)};
  if (!is_main_thread()) {
    restrict_to(pin.given);
    return pin;
  }
  MainThread& main = main_thread;
  const std::lock_guard lock(main.mutex);
  restrict_to(pin.given);
  if (main.pins++ == 0 || pin.before != main.given) main.outside = pin.before;
  main.given = pin.given;
  return pin;
}

void undo(const Pin& pin) {
  const auto restore = [&pin] {
    if (!pin.before.empty() && processors_of(0) == pin.given) restrict_to(pin.before);
  };
  if (!is_main_thread()) return restore();
  MainThread& main = main_thread;
  const std::lock_guard lock(main.mutex);
  restore();
  --main.pins;
  main.given = pin.before;
}

ProcessorSet usable_processors() {
  MainThread& main = main_thread;
  const std::lock_guard lock(main.mutex);
  const ProcessorSet set = processors_of(getpid());
  return main.pins > 0 && set == main.given ? main.outside : set;
}

int usable_threads() { return std::max(1, usable_processors().count()); }

int default_threads() {
  static const double quota = cpu_quota();
  return within_quota(quota, usable_threads());
}

int within_quota(double quota, int processors) {
  if (!(quota < processors)) return processors;
  return std::max(1, static_cast<int>(std::ceil(quota)));
}

namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

bool has(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Where groups of a hierarchy are seen: the folder `at` shows the group `from` and those below it.
struct Mount {
  std::string from, at;
};

/// The mount of the second version, or of the first one's controller `cpu`. A line of mountinfo (proc(5)):
/// number, parent, device, root, mount point, options, tags, "-", type, source, options of the type.
std::optional<Mount> mount_of(const std::string& root, bool second) {
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 5 || fields.end() - dash < 4) continue;
    if (second ? dash[1] == "cgroup2" : dash[1] == "cgroup" && has(split(dash[3], ','), "cpu"))
      return Mount{fields[3], fields[4]};
  }
  return {};
}

/// This process's group in that hierarchy. A line of the file (cgroups(7)): number, controllers, path, with
/// colons between; the second version's is 0 and names no controllers.
std::optional<std::string> group_of(const std::string& root, bool second) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), next = line.find(':', first + 1);
    if (next == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, next - first - 1);
    if (second ? controllers.empty() : has(split(controllers, ','), "cpu")) return line.substr(next + 1);
  }
  return {};
}

/// The quota of one group, as "max 100000" or "150000 100000", or as two files of which the first may be -1.
double quota_of(const std::string& folder, bool second) {
  double quota = 0, period = 0;
  if (second) {
    std::ifstream(folder + "/cpu.max") >> quota >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : no_quota;
}

double least_quota(const std::string& root, bool second) {
  const auto mount = mount_of(root, second);
  const auto group = group_of(root, second);
  if (!mount || !group) return no_quota;
  // The group below the mounted one. Where a name space hides the way from one to the other, the mounted one
  // is all that is seen.
  std::string below = *group;
  if (mount->from != "/") {
    const bool inside = below.starts_with(mount->from) &&
                        (below.size() == mount->from.size() || below[mount->from.size()] == '/');
    below = inside ? below.substr(mount->from.size()) : "";
  }
  if (below.starts_with("/..")) below.clear();
  double least = no_quota;
  for (;; below.resize(below.rfind('/'))) {
    while (!below.empty() && below.back() == '/') below.pop_back();
    least = std::min(least, quota_of(root + mount->at + below, second));
    if (below.find('/') == std::string::npos) return least;
  }
}

}  // namespace

double cpu_quota(const std::string& root) {
  return std::min(least_quota(root, true), least_quota(root, false));
}

}  // namespace tallcache
