#include "cpu/peers/vqsort_library.hpp"

#include <dlfcn.h>
#include <hwy/detect_targets.h>
#include <link.h>

#include <chrono>
#include <random>
#include <string_view>
#include <type_traits>

#include "cpu/peers/fastest.hpp"
#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

constexpr std::size_t keys_to_measure = std::size_t{1} << 15;

// The file of Highway's library with vqsort that this process runs; empty where it is linked statically.
std::string loaded_file() {
  std::string file;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        const std::string_view name = library->dlpi_name;
        if (name.find("libhwy_contrib.so") == name.npos) return 0;
        *static_cast<std::string*>(found) = name;
        return 1;
      },
      &file);
  return file;
}

// hwy::Sorter::operator()(Key*, std::size_t, hwy::SortAscending) const
template <class Key>
std::string symbol() {
  const char type = std::is_same_v<Key, double>          ? 'd'
                    : std::is_same_v<Key, std::uint32_t> ? 'j'
                    : std::is_same_v<Key, std::int32_t>  ? 'i'
                    : std::is_same_v<Key, std::uint64_t> ? 'm'
                                                         : 'l';
  return std::string("_ZNK3hwy6SorterclEP") + type + "mNS_13SortAscendingE";
}

// A copy, and the target that was found for it.
template <class Key>
struct Chosen {
  Vqsort<Key> vqsort;
  std::string text;

  Chosen() {
    if (!vqsort.reason().empty()) {
      text = "dispatched: " + vqsort.reason();
      return;
    }
    std::mt19937_64 random(1);
    std::vector<Key> keys(keys_to_measure), work(keys_to_measure);
    for (Key& key : keys) key = static_cast<Key>(static_cast<std::int64_t>(random()));
    std::vector<Way> ways;
    for (const std::int64_t target : vqsort.targets())
      ways.push_back(
          {hwy::TargetName(target), [&, target] {
             work = keys;
             vqsort.use(target);
             const auto start = std::chrono::steady_clock::now();
             vqsort.sort(work.data(), static_cast<Index>(work.size()));
             return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
           }});
    const Fastest found = fastest(ways);
    vqsort.use(vqsort.targets()[found.index]);
    text = found.text;
  }
};

template <class Key>
const Chosen<Key>& chosen() {
  static const Chosen<Key> made;
  return made;
}

}  // namespace

template <VqsortKey Key>
Vqsort<Key>::Vqsort() {
  load();
  // The last ones are no vectors.
  for (std::int64_t left = supported_ & HWY_TARGETS & ~(HWY_EMU128 | HWY_SCALAR); left != 0; left &= left - 1)
    targets_.push_back(left & -left);
  if (reason_.empty() && targets_.empty()) reason_ = "this processor has no vectors that vqsort takes";
}

template <VqsortKey Key>
void Vqsort<Key>::load() {
  const std::string file = loaded_file();
  void* const copy = file.empty() ? nullptr : dlmopen(LM_ID_NEWLM, file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!copy) {
    reason_ = file.empty() ? "Highway is linked statically" : loader_error();
    return;
  }
  std::int64_t (*supported)() = nullptr;
  hwy::ChosenTarget& (*chosen_target)() = nullptr;
  void (*make)(void*) = nullptr;
  if (!find(copy, "_ZN3hwy16SupportedTargetsEv", supported) ||
      !find(copy, "_ZN3hwy15GetChosenTargetEv", chosen_target) || !find(copy, "_ZN3hwy6SorterC1Ev", make) ||
      !find(copy, symbol<Key>().c_str(), call_)) {
    reason_ = file + " lacks a function of Highway 1.0";
    return;
  }
  make(sorter_);
  supported_ = supported();
  chosen_ = &chosen_target();
  chosen_->Update(supported_);
}

template <VqsortKey Key>
void Vqsort<Key>::use(std::int64_t target) {
  // A wider target is a lower bit. Narrower ones stay, as not every function is compiled for every target.
  if (reason_.empty()) chosen_->Update(supported_ & ~(target - 1));
}

template <VqsortKey Key>
void Vqsort<Key>::sort(Key* keys, Index n) const {
  if (n < 2) return;
  if (reason_.empty())
    call_(sorter_, keys, static_cast<std::size_t>(n), hwy::SortAscending());
  else
    hwy::Sorter()(keys, static_cast<std::size_t>(n), hwy::SortAscending());
}

template <VqsortKey Key>
void vqsort_keys(Key* keys, Index n) {
  chosen<Key>().vqsort.sort(keys, n);
}

template <VqsortKey Key>
const std::string& vqsort_target() {
  return chosen<Key>().text;
}

#define TALLCACHE_VQSORT(Key)             \
  template class Vqsort<Key>;             \
  template void vqsort_keys(Key*, Index); \
  template const std::string& vqsort_target<Key>();
TALLCACHE_VQSORT(std::uint32_t)
TALLCACHE_VQSORT(std::uint64_t)
TALLCACHE_VQSORT(std::int32_t)
TALLCACHE_VQSORT(std::int64_t)
TALLCACHE_VQSORT(double)
#undef TALLCACHE_VQSORT

}  // namespace tallcache::cpu::peers
