// Working memory of strands: what a leaf writes and nobody reads afterwards.
//
// A strand leases a piece of it and gives it back before it forks or joins. So of a program on P threads at
// most P strands hold one, however the program forks, and its scratch states P pieces beforehand. Memory that
// is indexed by block (fork.width()) needs a program that cuts its input into as many blocks as threads.
//
//   const LocalMemory<Access> memory(scratch, bytes, fork.width());
//   fork.loop(0, n, 1, [=, &fork](Index i) {
//     const auto lease = memory.lease(fork);
//     solve(i, lease.scratch());
//   });
#pragma once

#include <atomic>
#include <thread>

#include "common/fork/heartbeat.hpp"
#include "common/view.hpp"

namespace tallcache {
namespace detail {

/// The piece that the thread had last, which is in its caches, and of which memory.
struct LastPiece {
  std::uint64_t memory = 0;
  Index piece = 0;
};
inline constinit thread_local LastPiece last_piece;
inline constinit std::atomic<std::uint64_t> local_memories{0};

}  // namespace detail

/// `pieces` pieces of `bytes` bytes. Copies share them.
template <class Access = Plain>
class LocalMemory {
  static constexpr std::size_t line = 64;
  using Holder = std::atomic<const void*>;  // in a line before its piece: null, or a thread's own address

 public:
  /// The bytes of its scratch. Throws Error where they overflow.
  static std::size_t scratch(std::size_t bytes, Index pieces) {
    return checked_product(pieces, checked_sum(line, scratch_bytes({bytes}), "scratch"), "scratch");
  }

  LocalMemory(Scratch<Access>& scratch, std::size_t bytes, Index pieces)
      : bytes_(bytes),
        stride_(static_cast<Index>(line + scratch_bytes({bytes}))),
        pieces_(pieces),
        number_(++detail::local_memories),
        memory_(scratch.template vector<std::byte>(pieces * stride_)) {
    for (Index piece = 0; piece < pieces; ++piece) new (&holder(piece)) Holder(nullptr);
  }

  /// A piece that is the strand's own for as long as the lease lives.
  class Lease {
   public:
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      --detail::held_leases;
      detail::latent_list.state.until_poll = until_poll_;
      holder_.store(nullptr, std::memory_order_release);
    }
    Scratch<Access> scratch() const { return piece_; }

   private:
    friend class LocalMemory;
    Lease(Holder& holder, Scratch<Access> piece) : holder_(holder), piece_(piece) {
      ++detail::held_leases;
      detail::latent_list.state.until_poll = 1;  // the next fork polls, and a poll looks for leases
    }
    Holder& holder_;
    Scratch<Access> piece_;
    int until_poll_ = detail::latent_list.state.until_poll;
  };

  /// Where threads of another program run strands of this one, all pieces may be held: it waits for one, as
  /// who holds one waits for nobody. Throws Error where this thread holds one already. So does a fork in a
  /// strand that holds one, on more than one thread and where forks are observed.
  template <class Fork>
  Lease lease(const Fork& fork) const {
    const void* const self = &detail::last_piece;
    detail::LastPiece& last = detail::last_piece;
    if (last.memory != number_) last = {number_, 0};
    for (Index tried = 1;; ++tried) {
      Holder& held_by = holder(last.piece);
      const void* before = nullptr;
      if (held_by.compare_exchange_strong(before, self, std::memory_order_acquire)) break;
      if (before == self) throw Error("a strand that has a lease of working memory asks for another one");
      last.piece = last.piece + 1 == pieces_ ? 0 : last.piece + 1;
      if (tried % pieces_ == 0) std::this_thread::yield();
    }
    std::byte* const piece = &holder_byte(last.piece) + line;
    if constexpr (requires { fork.observe_lease(piece, bytes_); }) fork.observe_lease(piece, bytes_);
    return Lease(holder(last.piece), Scratch<Access>({piece, scratch_bytes({bytes_})}, memory_.access()));
  }

  /// The same memory under another access policy.
  template <class Other>
  LocalMemory<Other> with(Other other) const {
    return LocalMemory<Other>(*this, memory_.with(other));
  }

 private:
  template <class>
  friend class LocalMemory;
  template <class Other>
  LocalMemory(const LocalMemory<Other>& same, VectorView<std::byte, Access> memory)
      : bytes_(same.bytes_),
        stride_(same.stride_),
        pieces_(same.pieces_),
        number_(same.number_),
        memory_(memory) {}

  std::byte& holder_byte(Index piece) const { return memory_.data[piece * stride_]; }
  Holder& holder(Index piece) const { return reinterpret_cast<Holder&>(holder_byte(piece)); }

  std::size_t bytes_;
  Index stride_, pieces_;
  std::uint64_t number_;
  VectorView<std::byte, Access> memory_;
};

}  // namespace tallcache
