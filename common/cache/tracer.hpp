// The sink of a traced view (common/traced.hpp): one run of an algorithm feeds any number of cache models.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "common/cache/access_sites.hpp"
#include "common/cache/geometry.hpp"
#include "common/cache/line_numbers.hpp"
#include "common/cache/model.hpp"
#include "common/fork/recorded.hpp"

namespace tallcache::cache {

/// Converts element accesses into blocks of line accesses. An element that straddles lines accesses each of
/// them, and each can miss. (Cachegrind counts at most one miss for the whole reference; straddling() counts
/// these elements.) The models see all accesses only after flush(). Prefer trace(), which always flushes.
class Tracer {
 public:
  /// line_bytes: a power of two (throws Error otherwise). With `sites` the accesses of different sites are
  /// not folded together, and each block tells the sites. Models and sites must outlive the tracer.
  Tracer(std::size_t line_bytes, std::vector<Model*> models, AccessSites* sites = nullptr)
      : shift_(static_cast<unsigned>(std::countr_zero(validated_line(line_bytes)))),
        models_(std::move(models)),
        sites_(sites) {}
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Runs of a variant that forks tell the observer where, and follow the plan of `width` threads
  /// (common/fork/recorded.hpp). Without an observer they are the serial elision.
  void observe(ForkObserver& observer, Index width) {
    observer_ = &observer;
    width_ = width;
  }
  ForkObserver* fork_observer() const { return observer_; }
  Index width() const { return width_; }

  /// From now on each block tells the bytes of its accesses, of which none are folded together. Throws Error
  /// where a line has more than 256.
  void keep_bytes() {
    if (shift_ > 8) throw Error("the bytes of accesses are kept in lines of up to 256 bytes");
    keeps_bytes_ = true;
  }

  void load(const void* address, std::size_t bytes, const Place& place = {}) {
    ++loads_;
    if (sites_) [[unlikely]]
      visit(place, false, bytes);
    reference(reinterpret_cast<std::uintptr_t>(address), bytes, false);
  }
  void store(const void* address, std::size_t bytes, const Place& place = {}) {
    ++stores_;
    if (sites_) [[unlikely]]
      visit(place, true, bytes);
    reference(reinterpret_cast<std::uintptr_t>(address), bytes, true);
  }

  /// Passes the accesses that are still buffered to the models.
  void flush() {
    const Block block{{buffer_.data(), size_}, numbers_.addresses(), line_bytes(), site_numbers_, bytes_};
    size_ = 0;
    last_ = none;
    if (!block.accesses.empty())
      for (Model* model : models_) model->consume(block);
    site_numbers_.clear();
    bytes_.clear();
  }

  std::size_t line_bytes() const { return std::size_t{1} << shift_; }
  /// Element accesses; an access that straddles lines counts once.
  std::uint64_t loads() const { return loads_; }
  std::uint64_t stores() const { return stores_; }
  /// Element accesses that touched more than one line.
  std::uint64_t straddling() const { return straddling_; }
  /// Distinct lines touched.
  std::uint64_t distinct_lines() const { return numbers_.addresses().size(); }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  void reference(std::uint64_t address, std::size_t bytes, bool store) {
    const std::uint64_t first = address >> shift_, last = (address + bytes - 1) >> shift_;
    if (keeps_bytes_) [[unlikely]]
      return reference_bytes(address, bytes, store);
    touch(first, store);
    if (first != last) [[unlikely]] {
      ++straddling_;
      for (std::uint64_t line = first + 1; line <= last; ++line) touch(line, store);
    }
  }

  void reference_bytes(std::uint64_t address, std::size_t bytes, bool store) {
    const std::uint64_t end = address + bytes;
    if (address >> shift_ != (end - 1) >> shift_) ++straddling_;
    for (std::uint64_t next; address < end; address = next) {
      next = std::min(end, ((address >> shift_) + 1) << shift_);
      last_ = none;
      touch(address >> shift_, store);
      const std::uint64_t mask = line_bytes() - 1;
      bytes_.push_back(
          {static_cast<std::uint8_t>(address & mask), static_cast<std::uint8_t>((next - 1) & mask)});
    }
  }

  void touch(std::uint64_t line, bool store) {
    constexpr auto max = std::numeric_limits<std::uint16_t>::max();
    if (line == last_) {
      LineAccess& same = buffer_[size_ - 1];
      if (store ? same.more_stores < max : !same.store && same.more_loads < max) {
        ++(store ? same.more_stores : same.more_loads);
        return;
      }
    }
    if (size_ == buffer_.size()) flush();
    buffer_[size_++] = {numbers_(line), store, 0, 0};
    last_ = line;
    if (sites_) [[unlikely]]
      site_numbers_.push_back(site_);
  }

  void visit(const Place& place, bool store, std::size_t bytes) {
    const std::uint32_t site = sites_->number({place, store, bytes});
    if (site != site_) last_ = none;
    site_ = site;
  }

  unsigned shift_;
  std::uint64_t last_ = none;
  std::size_t size_ = 0;
  std::uint64_t loads_ = 0, stores_ = 0, straddling_ = 0;
  std::vector<Model*> models_;
  AccessSites* sites_;
  std::uint32_t site_ = 0;
  std::vector<std::uint32_t> site_numbers_;
  ForkObserver* observer_ = nullptr;
  Index width_ = 1;
  bool keeps_bytes_ = false;
  std::vector<LineBytes> bytes_;
  LineNumbers numbers_;
  std::array<LineAccess, 4096> buffer_;  // 32 KiB: a block stays in the first-level cache between the models
};

/// The counts of a traced run that do not depend on the cache.
struct TraceCounts {
  std::uint64_t loads, stores, straddling, distinct_lines;
};

/// Runs `run(tracer)` and passes every access to `models`, in lines of line_bytes, and the sites to `sites`.
template <class Run>
TraceCounts trace(std::size_t line_bytes, std::vector<Model*> models, Run&& run,
                  AccessSites* sites = nullptr) {
  Tracer tracer(line_bytes, std::move(models), sites);
  run(tracer);
  tracer.flush();
  return {tracer.loads(), tracer.stores(), tracer.straddling(), tracer.distinct_lines()};
}

}  // namespace tallcache::cache
