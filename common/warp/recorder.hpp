// Joins the accesses of a warp's lanes, recorded one lane after another, into the warp's requests.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cache/requests.hpp"
#include "common/place.hpp"
#include "common/warp/compiled_widths.hpp"

namespace tallcache::warp {

/// An access in a kernel's text: its place, its kind and its width.
struct Site {
  Place where;
  cache::Space space;
  cache::AccessKind kind;
  int width;  ///< bytes a lane

  /// A number for hash tables: another one for another site of the same file.
  std::uint64_t key() const {
    return where.hash() << 6 |
           static_cast<std::uint64_t>(std::countr_zero(static_cast<unsigned>(width))) << 3 |
           static_cast<std::uint64_t>(space) << 2 | static_cast<std::uint64_t>(kind);
  }
};

struct SiteCounts {
  Site site;
  cache::RequestCounts counts;
};

/// Accesses at one site form one request when each is its lane's k-th there since the last barrier of the
/// warp or the block. This is the behaviour of a converged warp. Lanes that leave a loop early are missing
/// from the later requests of its sites.
class Recorder {
 public:
  /// The observer is called for each request, in the order in which the warp's first lane makes them.
  using Observer = std::function<void(const Site&, const cache::WarpRequest&)>;

  explicit Recorder(const cache::WarpMachine& machine) : machine_(machine) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void observe(Observer observer) { observer_ = std::move(observer); }
  /// The requests that follow are observed and not counted.
  void only_observe() { counts_ = false; }

  /// The kernels that follow are compiled so: what a lane accesses one after the other at one site becomes
  /// one access as wide as the widest instruction of its line, where the addresses permit it.
  void compiled_as(std::span<const CompiledAccess> accesses);

  /// The accesses that follow are those of `lane`.
  void begin_lane(int lane) {
    lane_ = lane;
    cursor_ = 0;
    converged_ = true;
  }
  void access(const Place& where, cache::Space space, cache::AccessKind kind, std::uint64_t address,
              int width) {
    ++accesses_;
    const Key key = Site{where, space, kind, width}.key();
    if (!converged_ || cursor_ >= used_ || visits_[cursor_].key != key)
      return access_diverged(key, {where, space, kind, width}, address);
    add(visits_[cursor_++], address);
  }
  /// The number of the request that the last access belongs to, until the section ends.
  std::size_t last_request() const { return converged_ ? cursor_ - 1 : diverged_; }
  /// The old values of that atomic are needed: lanes on one address of shared memory go one by one.
  void need_old_values(std::size_t request) { visits_[request].request.exchanges = true; }

  /// Ends a section of the warp: all lanes have reached a barrier or their end. Counts their requests.
  void end_warp();
  /// Discards the accesses since the last barrier.
  void drop_warp();

  /// The sites by place in the text: file, line, column; then loads before stores and atomics.
  std::vector<SiteCounts> sites() const;
  /// Discards all counts.
  void clear();
  /// Accesses of single lanes so far, in both spaces.
  std::uint64_t accesses() const { return accesses_; }

  const cache::WarpMachine& machine() const { return machine_; }

 private:
  using Key = std::uint64_t;
  struct Visit {
    Key key;
    int site;
    cache::WarpRequest request;
  };
  struct SiteVisits {
    SiteCounts counts;
    std::vector<std::uint32_t> visits;  ///< since the last barrier, by number
    std::uint32_t own = 0;              ///< of this lane, when it is out of step
    int compiled_width = 0;             ///< 0: not known
  };

  void add(Visit& visit, std::uint64_t address) {
    visit.request.mask |= 1u << lane_;
    visit.request.address[lane_] = address;
  }
  void access_diverged(Key key, const Site& site, std::uint64_t address);
  int site_of(Key key, const Site& site);
  void diverge();
  Visit& new_visit(Key key, int site);
  int compiled_width(const Site& site) const;
  void merge(const SiteVisits& site);
  bool merge(std::span<const std::uint32_t> visits);

  const cache::WarpMachine& machine_;
  Observer observer_;
  int lane_ = 0;
  std::size_t cursor_ = 0, used_ = 0;
  std::uint64_t accesses_ = 0;
  std::size_t diverged_ = 0;  ///< the last visit of a lane that is out of step
  bool converged_ = true, counts_ = true;
  std::vector<Visit> visits_;
  std::vector<SiteVisits> sites_;
  std::span<const CompiledAccess> compiled_;
  std::unordered_map<Key, int> site_numbers_;
};

/// "gpu/transpose/tile_moves.hpp:27:9: load of 4 bytes, global memory"
std::string to_string(const Site& site);

}  // namespace tallcache::warp
