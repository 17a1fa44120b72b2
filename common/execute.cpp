#include "common/execute.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "common/backend.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::detail {
namespace {

struct IdleSession {
  DeviceStream place;
  std::unique_ptr<Session> session;
};

std::mutex idle_sessions_mutex;

// The one that was put back last is the last. Never destroyed: the devices' own libraries may be gone by
// then.
std::vector<IdleSession>& idle_sessions() {
  static auto* const list = [] {
    auto* const made = new std::vector<IdleSession>;
    made->reserve(most_idle_sessions);
    return made;
  }();
  return *list;
}

DeviceStream device_stream_of(const ExecuteOptions& options) {
  const Backend& backend = find_backend(options.backend);
  std::uint64_t stream = reinterpret_cast<std::uintptr_t>(options.stream);
  if (stream && backend.stream_id) stream = backend.stream_id(options.device, options.stream);
  return {&backend, options.device, stream};
}

std::unique_ptr<Session> take_idle(const DeviceStream& place) {
  const std::lock_guard lock(idle_sessions_mutex);
  auto& list = idle_sessions();
  for (auto entry = list.end(); entry != list.begin();)
    if (--entry; entry->place == place) {
      auto session = std::move(entry->session);
      list.erase(entry);
      return session;
    }
  return nullptr;
}

}  // namespace

std::span<std::byte> Session::memory(std::size_t i, std::size_t bytes, Pages pages) {
  if (pieces_.size() <= i) pieces_.resize(i + 1);
  Piece& piece = pieces_[i];
  if (!piece.memory || piece.memory->bytes().size() < bytes || piece.pages != pages) {
    piece.memory.reset();
    piece = {executor_->allocate(bytes, pages), pages};
  }
  return piece.memory->bytes();
}

SessionLease::SessionLease(const ExecuteOptions& options)
    : place_(device_stream_of(options)), session_(take_idle(place_)) {
  if (!session_) session_ = std::make_unique<Session>(place_.backend->make_executor(place_.device));
}

SessionLease::~SessionLease() {
  std::unique_ptr<Session> oldest;  // destroyed without the lock: a device may have to end its work first
  const std::lock_guard lock(idle_sessions_mutex);
  auto& list = idle_sessions();
  if (list.size() == most_idle_sessions) {
    oldest = std::move(list.front().session);
    list.erase(list.begin());
  }
  list.push_back({place_, std::move(session_)});
}

void require_runnable(const Variant& variant, const ExecuteOptions& options) {
  if (const std::string reason = variant.unavailable(); !reason.empty())
    throw Error(std::string(variant.name) + " is unavailable: " + reason, Status::unavailable);
  if (options.device_views && on_host(variant))
    throw Error(fmt::format("device views: the {}'s variants run on the host's memory",
                            find_backend(options.backend).title));
  if (options.stream && !options.device_views)
    throw Error("a stream goes with device views: with the host's views the call waits for the result");
  require_threads(options.threads);
  if (options.threads > 1 && !variant.parallel)
    throw Error(std::string(variant.name) + " runs on one thread only", Status::unsupported);
}

}  // namespace tallcache::detail

void tallcache::release_memory() {
  std::vector<detail::IdleSession> released;
  released.reserve(detail::most_idle_sessions);
  const std::lock_guard lock(detail::idle_sessions_mutex);
  released.swap(detail::idle_sessions());
}
