// Work and span of a fork-join program, measured while it runs (seed M12; He, Leiserson and Leiserson, "The
// Cilkview scalability analyzer", 2010): the fork policy that a profile is made with. Any code that forks
// through a policy can be profiled (bench/examples/profile_own_code.cpp).
//
// A strand is what runs between two forks or joins. Its cost is its time (Nanoseconds), or one plus its
// element accesses (UnitCost, with views whose access policy is Traced<UnitCost>), which is the same in every
// run. Composition: work adds up everywhere; the span of two branches is the larger one's. The burdened span
// adds `burden` to the second branch of every fork, the continuation that a thief would have to steal.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "common/fork/one_tbb.hpp"

namespace tallcache {

/// What a run came to. Costs are in the unit of the policy's clock.
struct Profile {
  double work = 0;           ///< T_1
  double span = 0;           ///< T_inf
  double burdened_span = 0;  ///< the span with the cost of the steals on it
  std::uint64_t spawns = 0;  ///< forks
  std::uint64_t strands = 0;
  std::uint64_t strands_on_span = 0;

  double parallelism() const { return work / span; }
  double burdened_parallelism() const { return work / burdened_span; }
};

/// The speed-up to be expected on some processors.
struct SpeedupRange {
  double low, high;
};

/// Cilkview's estimate: at most min(P, T_1 / T_inf), by the work law and the span law; at least T_1 / T_P for
/// T_P = T_1 / P + 1.7 (1 - 1 / P) burdened span. The slides print the formula without (1 - 1 / P); with it
/// all ten ranges of their example come out to the digit.
SpeedupRange speedup_range(const Profile&, double processors);

/// The cost of a strand is the time it took.
struct Nanoseconds {
  static constexpr double per_strand = 0;
  static double now() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

/// The cost of a strand is one, and one for each element access that the views of this access policy's sink
/// saw.
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

/// Cilkview's burden, which the slides state: instructions for each continuation on the critical path.
inline constexpr double cilkview_burden = 15000;

/// Throws Error unless threads are as require_threads wants them, width and grain at least 1 and the burden a
/// number of at least 0.
void validate(const ProfileOptions&);

/// What it costs here that a second thread takes over the second branch of a fork, in nanoseconds: the lower
/// quartile of what a fork whose branches run side by side takes longer than they do. On one processor nobody
/// can steal: there it is Cilkview's 15000 instructions at one a nanosecond.
double measured_burden();

template <class Clock>
class WorkSpan {
 public:
  /// Throws Error as validate() does.
  explicit WorkSpan(const ProfileOptions& options = {}) : options_(options) { validate(options); }

  /// Runs `program`, which forks through this policy, and returns what it came to. What it throws goes
  /// through.
  template <class Program>
  Profile profile(Program&& program) {
    Strand root;
    if (options_.threads == 1)
      root.run(program);
    else
      in_arena(options_.threads, [&] { root.run(program); });
    return root.total;
  }

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    if (!Strand::current) throw Error("a program that forks through WorkSpan runs inside its profile()");
    Strand& parent = *Strand::current;
    parent.stop();
    Strand first, second;
    // On the way out of an exception too: whoever catches it goes on in this strand.
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
    // While this thread waits for a stolen branch it may run tasks that have nothing to do with it: no strand
    // of this one's is running then, and theirs put `current` back.
    if (options_.threads == 1)
      Serial{}(run_first, run_second);
    else
      OneTbb{options_.threads}(run_first, run_second);
  }

  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) const {
    loop_by_halves(*this, begin, end, step, options_.grain, body);
  }

  Index width() const { return options_.width; }

 private:
  struct Strand {
    Profile total;
    double started = 0;
    static constinit inline thread_local Strand* current = nullptr;

    template <class Body>
    void run(Body& body) {
      struct Running {
        Strand& self;
        Strand* const before = std::exchange(current, &self);
        ~Running() {
          self.stop();
          current = before;
        }
      } running{*this};
      start();
      body();
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

  ProfileOptions options_;
};

}  // namespace tallcache
