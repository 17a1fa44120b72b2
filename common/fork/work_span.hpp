// Work and span of a fork-join program, measured while it runs (Moreno Maza, M12; He, Leiserson and
// Leiserson, "The Cilkview scalability analyzer", 2010). The profiler is a fork policy: it profiles any code
// that forks through a policy (examples/forks.cpp).
//
// A strand is the code that runs between two forks or joins. Its cost is its time (Nanoseconds), or one plus
// its element accesses (UnitCost, with views whose access policy is Traced<UnitCost>), which is the same in
// every run. The work of two branches is the sum of theirs, their span the larger one. The burdened span adds
// `burden` to the second branch of every fork, the continuation that a thief would have to steal.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "common/fork/parallel.hpp"

namespace tallcache {

/// The result of a run. Costs are in the unit of the policy's clock.
struct Profile {
  double work = 0;           ///< T_1
  double span = 0;           ///< T_inf
  double burdened_span = 0;  ///< the span including the cost of steals
  std::uint64_t spawns = 0;  ///< forks
  std::uint64_t strands = 0;
  std::uint64_t strands_on_span = 0;

  double parallelism() const { return work / span; }
  double burdened_parallelism() const { return work / burdened_span; }
};

/// The expected speed-up on a number of processors.
struct SpeedupRange {
  double low, high;
};

/// Cilkview's estimate. The upper bound is min(P, T_1 / T_inf), by the work law and the span law. The lower
/// bound is T_1 / T_P for T_P = T_1 / P + 1.7 (1 - 1 / P) burdened span. The slides print the formula without
/// (1 - 1 / P); with it, all ten ranges of their example agree to the last digit.
SpeedupRange speedup_range(const Profile&, double processors);

/// The cost of a strand is its time.
struct Nanoseconds {
  static constexpr double per_strand = 0;
  static double now() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

/// The cost of a strand is one, plus one for each element access that the sink of this access policy sees.
struct UnitCost {
  static constexpr double per_strand = 1;
  static double now() { return static_cast<double>(accesses); }

  static void load(const void*, std::size_t) { ++accesses; }
  static void store(const void*, std::size_t) { ++accesses; }

 private:
  static constinit inline thread_local std::uint64_t accesses = 0;
};

struct ProfileOptions {
  double burden = 0;  ///< cost of a steal, in the clock's unit; see measured_burden()
  int threads = 1;    ///< how many run the program while it is profiled
  Index width = 1;    ///< see the fork policies
  Index grain = 1;    ///< iterations that a leaf of a parallel loop holds
};

/// Cilkview's burden, as the slides give it: instructions for each continuation on the critical path.
inline constexpr double cilkview_burden = 15000;

/// Throws Error unless require_threads(threads) holds, width and grain are at least 1, and the burden is a
/// number of at least 0.
void validate(const ProfileOptions&);

/// The cost of a steal on this machine in nanoseconds under a policy, with the promotion of the fork where it
/// is latent at first: the lower quartile of the time by which a fork whose
/// branches run in parallel exceeds its branches. On one processor no steal can happen, and it is Cilkview's
/// 15000 instructions at one a nanosecond.
double measured_burden(ForkPolicy = fork_policy());

template <class Clock>
class WorkSpan : public ForksByHalves<WorkSpan<Clock>> {
 public:
  /// Throws Error as validate() does.
  explicit WorkSpan(const ProfileOptions& options = {}) : options_(options) { validate(options); }

  /// Runs `program`, which forks through this policy, and returns its profile. Exceptions of the program
  /// pass through.
  template <class Program>
  Profile profile(Program&& program) {
    return profile_of(AnyBranch(program));
  }

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    fork(AnyBranch(f), AnyBranch(g));
  }

  Index grain(Index) const { return options_.grain; }
  Index width() const { return options_.width; }

 private:
  struct Strand {
    Profile total;
    double started = 0;
    static constinit inline thread_local Strand* current = nullptr;

    void run(AnyBranch branch) {
      struct Running {
        Strand& self;
        Strand* const before = std::exchange(current, &self);
        ~Running() {
          self.stop();
          current = before;
        }
      } running{*this};
      start();
      branch();
    }

    void start() { started = Clock::now(); }
    void stop() {
      const double cost = Clock::now() - started + Clock::per_strand;
      total.work += cost;
      total.span += cost;
      total.burdened_span += cost;
      ++total.strands;
      ++total.strands_on_span;
    }

    void join(const Profile& first, const Profile& second, double burden) {
      const Profile& longer = first.span >= second.span ? first : second;
      total.work += first.work + second.work;
      total.span += longer.span;
      total.burdened_span += std::max(first.burdened_span, second.burdened_span + burden);
      total.spawns += first.spawns + second.spawns + 1;
      total.strands += first.strands + second.strands;
      total.strands_on_span += longer.strands_on_span;
    }
  };

  Profile profile_of(AnyBranch program) const {
    Strand root;
    const auto run = [&](AnyFork&) { root.run(program); };
    if (options_.threads == 1)
      root.run(program);
    else
      detail::run_one_tbb(options_.threads, AnyProgram(run));
    return root.total;
  }

  void fork(AnyBranch f, AnyBranch g) const {
    detail::require_no_lease();
    if (!Strand::current) throw Error("a program that forks through WorkSpan runs inside its profile()");
    Strand& parent = *Strand::current;
    parent.stop();
    Strand first, second;
    // The destructor runs on exceptions too: the handler continues in this strand.
    struct Join {
      Strand &parent, &first, &second;
      double burden;
      ~Join() {
        parent.join(first.total, second.total, burden);
        parent.start();
      }
    } join{parent, first, second, options_.burden};
    const auto run_first = [&] { first.run(f); };
    const auto run_second = [&] { second.run(g); };
    // A thread that waits for a stolen branch may run unrelated tasks. No strand of this profile is running
    // then, and those tasks restore `current`.
    if (options_.threads == 1)
      Serial{}(run_first, run_second);
    else
      detail::fork_one_tbb(options_.threads, AnyBranch(run_first), AnyBranch(run_second));
  }

  ProfileOptions options_;
};

extern template class WorkSpan<Nanoseconds>;
extern template class WorkSpan<UnitCost>;

}  // namespace tallcache
