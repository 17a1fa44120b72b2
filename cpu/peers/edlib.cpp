#include "cpu/peers/edlib.hpp"

#include <dlfcn.h>

#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

// What edlib.h of version 1 declares, so that its header need not be there where the suite is built.
struct Config {
  int k, mode, task;
  const void* equalities;
  int equalities_length;
};
struct Result {
  int status, distance;
  int *end_locations, *start_locations;
  int locations;
  unsigned char* alignment;
  int alignment_length, alphabet_length;
};
constexpr int any_distance = -1, whole_strings = 0, task_distance = 0, task_path = 2;

class Library {
 public:
  Library() {
    void* const library = dlopen("libedlib.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      reason = "no libedlib.so.1 (package libedlib1)";
    else if (!find(library, "edlibAlign", align_) || !find(library, "edlibFreeAlignResult", free_))
      reason = "libedlib.so.1 lacks edlibAlign";
  }

  /// Calls use(result) on what edlib finds.
  template <class Use>
  void align(VectorView<const std::uint8_t> a, VectorView<const std::uint8_t> b, int task, Use use) const {
    const auto letters = [](VectorView<const std::uint8_t> string) {
      return reinterpret_cast<const char*>(string.data);
    };
    const Result result = align_(letters(a), static_cast<int>(a.size), letters(b), static_cast<int>(b.size),
                                 {any_distance, whole_strings, task, nullptr, 0});
    const bool failed = result.status != 0;
    if (!failed) use(result);
    free_(result);
    if (failed) throw Error("edlib: edlibAlign failed");
  }

  std::string reason;

 private:
  Result (*align_)(const char* query, int query_length, const char* target, int target_length,
                   Config) = nullptr;
  void (*free_)(Result) = nullptr;
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

const std::string& edlib_reason() { return library().reason; }

std::int32_t edlib_distance(VectorView<const std::uint8_t> a, VectorView<const std::uint8_t> b) {
  // edlib has no distance of an empty string.
  if (a.size == 0 || b.size == 0) return static_cast<std::int32_t>(a.size + b.size);
  std::int32_t distance = 0;
  library().align(a, b, task_distance, [&](const Result& result) { distance = result.distance; });
  return distance;
}

void edlib_align(const Alignment::Args<>& args) {
  const auto [out, script, a, b, scratch] = args;
  if (a.size == 0 || b.size == 0) {
    for (Index s = 0; s < script.size; ++s)
      script[s] = static_cast<std::uint8_t>(a.size ? Edit::deletion : Edit::insertion);
    out[0] = out[1] = static_cast<std::int32_t>(script.size);
    return;
  }
  library().align(a, b, task_path, [&, out = out, script = script](const Result& found) {
    // Its "insertion to target" is a letter of the first string that the second one has not.
    constexpr Edit edits[] = {Edit::match, Edit::deletion, Edit::insertion, Edit::substitution};
    for (int s = 0; s < found.alignment_length; ++s)
      script[s] = static_cast<std::uint8_t>(edits[found.alignment[s]]);
    out[0] = found.distance;
    out[1] = found.alignment_length;
  });
}

}  // namespace tallcache::cpu::peers
