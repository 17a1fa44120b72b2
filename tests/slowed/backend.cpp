// The CPU as it is, but for variants that really take longer: their names and the factor are in the
// environment of this test's program, TALLCACHE_SLOWED="1.1 naive recursive_packed". A run of it beside one
// of the program shows what tallcache report --against finds of a slowdown.
#include "common/backend.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>

namespace tallcache::cpu {
extern const Backend backend;
}

namespace tallcache::slowed {
namespace {

class SlowedExecutor final : public Executor {
 public:
  SlowedExecutor(std::unique_ptr<Executor> inner, double factor, std::vector<Entry> entries)
      : inner_(std::move(inner)), factor_(factor), entries_(std::move(entries)) {}

  bool shares_host_memory() const override { return inner_->shares_host_memory(); }
  std::unique_ptr<Memory> allocate(std::size_t bytes, Pages pages) override {
    return inner_->allocate(bytes, pages);
  }
  void upload(Memory& to, std::span<const std::byte> from) override { inner_->upload(to, from); }
  void download(std::span<std::byte> to, const Memory& from) override { inner_->download(to, from); }
  void fill(Memory& memory, unsigned char byte) override { inner_->fill(memory, byte); }
  void flush_caches() override { inner_->flush_caches(); }

  // The caller works on until the factor of the time has passed, as a slower variant would.
  double seconds(Entry entry, const void* args, const Params& params, const Launch& launch,
                 int times) override {
    const auto start = std::chrono::steady_clock::now();
    const double seconds = inner_->seconds(entry, args, params, launch, times);
    if (std::ranges::find(entries_, entry) == entries_.end()) return seconds;
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const double overhead = elapsed() - seconds;
    while (elapsed() - overhead < factor_ * seconds) {
    }
    return elapsed() - overhead;
  }

 private:
  std::unique_ptr<Executor> inner_;
  double factor_;
  std::vector<Entry> entries_;
};

std::unique_ptr<Executor> make_slowed_executor(int device) {
  const char* const given = std::getenv("TALLCACHE_SLOWED");
  std::istringstream text(given ? given : "1");
  double factor = 1;
  text >> factor;
  std::vector<Entry> entries;
  for (std::string name; text >> name;)
    for (const Variant* variant : cpu::backend.variants())
      if (variant->name == name)
        entries.insert(entries.end(), variant->entries.begin(), variant->entries.end());
  return std::make_unique<SlowedExecutor>(cpu::backend.make_executor(device), factor, std::move(entries));
}

}  // namespace

extern const Backend backend;
const Backend backend = [] {
  Backend slowed = cpu::backend;
  slowed.make_executor = &make_slowed_executor;
  return slowed;
}();

}  // namespace tallcache::slowed
