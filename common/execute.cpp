#include "common/execute.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "common/backend.hpp"
#include "common/fork/one_tbb.hpp"

namespace tallcache::detail {
namespace {

struct Kept {
  Where where;
  std::unique_ptr<Session> session;
};

std::mutex kept_mutex;

// Never destroyed: the devices' own libraries may be gone by then.
std::vector<Kept>& kept() {
  static auto* const list = new std::vector<Kept>;
  return *list;
}

bool same_place(const Where& a, const Where& b) {
  return a.backend == b.backend && a.device == b.device && a.stream == b.stream;
}

std::unique_ptr<Session> taken(const Where& where) {
  const std::lock_guard lock(kept_mutex);
  for (Kept& entry : kept())
    if (same_place(entry.where, where)) {
      std::swap(entry, kept().back());
      auto session = std::move(kept().back().session);
      kept().pop_back();
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

SessionLease::SessionLease(const Where& where) : where_(where), session_(taken(where)) {
  if (!session_) session_ = std::make_unique<Session>(where.backend, where.device);
}

SessionLease::~SessionLease() {
  const std::lock_guard lock(kept_mutex);
  kept().push_back({where_, std::move(session_)});
}

void require_runnable(const Variant& variant, const Where& where) {
  if (const std::string reason = variant.unavailable(); !reason.empty())
    throw Error(std::string(variant.name) + " is unavailable: " + reason, Status::unavailable);
  if (where.device_views && on_host(variant))
    throw Error(fmt::format("device views: the {}'s variants run on the host's memory",
                            find_backend(where.backend).title));
  if (where.stream && !where.device_views)
    throw Error("a stream goes with device views: with the host's views the call waits for the result");
  require_threads(where.threads);
  if (where.threads > 1 && !variant.parallel)
    throw Error(std::string(variant.name) + " runs on one thread only", Status::unsupported);
}

}  // namespace tallcache::detail

void tallcache::release_memory() {
  const std::lock_guard lock(detail::kept_mutex);
  detail::kept().clear();
}
