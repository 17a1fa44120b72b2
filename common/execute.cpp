#include "common/execute.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "common/backend.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::detail {
namespace {

struct IdleSession {
  ExecuteOptions options;
  std::unique_ptr<Session> session;
};

std::mutex idle_sessions_mutex;

// Never destroyed: the devices' own libraries may be gone by then.
std::vector<IdleSession>& idle_sessions() {
  static auto* const list = new std::vector<IdleSession>;
  return *list;
}

bool same_place(const ExecuteOptions& a, const ExecuteOptions& b) {
  return a.backend == b.backend && a.device == b.device && a.stream == b.stream;
}

std::unique_ptr<Session> take_idle(const ExecuteOptions& options) {
  const std::lock_guard lock(idle_sessions_mutex);
  for (IdleSession& entry : idle_sessions())
    if (same_place(entry.options, options)) {
      std::swap(entry, idle_sessions().back());
      auto session = std::move(idle_sessions().back().session);
      idle_sessions().pop_back();
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

SessionLease::SessionLease(const ExecuteOptions& options) : options_(options), session_(take_idle(options)) {
  if (!session_) session_ = std::make_unique<Session>(options.backend, options.device);
}

SessionLease::~SessionLease() {
  const std::lock_guard lock(idle_sessions_mutex);
  idle_sessions().push_back({options_, std::move(session_)});
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
  const std::lock_guard lock(detail::idle_sessions_mutex);
  detail::idle_sessions().clear();
}
