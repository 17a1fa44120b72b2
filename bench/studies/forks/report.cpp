#include "bench/studies/forks/forks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"
#include "common/fork/policy.hpp"

namespace tallcache {
namespace {

constexpr double least_share = 0.95, least_seconds = 1e-6;
/// What a hint may be off by, and the times of one thread at which the scheduler reads it so closely: a
/// shorter program is not shared, a longer one is by any hint.
constexpr double hint_factor = 2, least_hinted = 3e-5, most_hinted = 1e-3;

// One variant at one size.
struct Case {
  const Record* alone;
  std::array<const Record*, fork_policies.size()> forked;  // under each policy
};

const Record* under(const Document& document, const Record& alone, std::string_view policy) {
  for (const Record& record : document.measurements)
    if (record.operation == alone.operation && record.row == alone.row && record.threads > 1 &&
        record.conditions.value("fork", "") == policy)
      return &record;
  return nullptr;
}

std::vector<Case> cases_of(const Document& document, const ForksPlan& plan) {
  std::vector<Case> cases;
  for (const Record& record : document.measurements) {
    if (plan.operation != record.operation || record.threads != 1) continue;
    Case& one = cases.emplace_back(Case{.alone = &record, .forked = {}});
    for (std::size_t p = 0; p < fork_policies.size(); ++p)
      one.forked[p] = under(document, record, name_of(fork_policies[p]));
  }
  return cases;
}

bool keeps_up(double alone, double forked) {
  return alone / forked >= least_share || forked - alone <= least_seconds;
}

// "1.95x +- 0.04", with a mark where it does not keep up.
std::string speed_up(const Record& alone, const Record* forked) {
  const double before = measured_seconds(&alone), after = measured_seconds(forked);
  if (!(before > 0) || !(after > 0)) return reason_of(forked);
  const double spread =
      before / after * std::hypot(alone.seconds_spread() / before, forked->seconds_spread() / after);
  return fmt::format("{:.2f} +- {:.2f}{}", before / after, spread, keeps_up(before, after) ? "" : " *");
}

// How many cases keep up, and the least of those that do not.
std::string count_text(const std::vector<Case>& cases, std::size_t policy) {
  int measured = 0, kept = 0;
  double least = no_value;
  for (const Case& one : cases) {
    const double before = measured_seconds(one.alone), after = measured_seconds(one.forked[policy]);
    if (!(before > 0) || !(after > 0)) continue;
    ++measured;
    if (keeps_up(before, after))
      ++kept;
    else if (!(before / after >= least))
      least = before / after;
  }
  const auto missing = static_cast<int>(cases.size()) - measured;
  return fmt::format("{} of {} keep up{}{}", kept, measured,
                     kept < measured ? fmt::format(", least {:.2f}", least) : "",
                     missing > 0 ? fmt::format(", {} not measured", missing) : "");
}

// The hint over the time of one thread; not a number in a document without hints.
double hint_share(const Case& one) { return one.alone->value("hint") / measured_seconds(one.alone); }

bool reads_hint(const Case& one) {
  const double seconds = measured_seconds(one.alone);
  return seconds >= least_hinted && seconds <= most_hinted && !std::isnan(hint_share(one));
}
bool is_near(const Case& one) {
  const double share = hint_share(one);
  return share <= hint_factor && share >= 1 / hint_factor;
}

std::string hint_text(const Case& one) {
  return fmt::format("{:.2f}{}", hint_share(one), reads_hint(one) && !is_near(one) ? " *" : "");
}

// Of the programs in which the hint matters.
std::string count_hints(const std::vector<Case>& cases) {
  return fmt::format(
      "{} of {}",
      std::ranges::count_if(cases, [](const Case& one) { return reads_hint(one) && is_near(one); }),
      std::ranges::count_if(cases, reads_hint));
}

// The speed under the default policy over that of so many runs side by side; not a number where these were
// not measured.
double beside_share(const Case& one, int threads) {
  constexpr auto at = std::ranges::find(fork_policies, default_fork_policy) - fork_policies.begin();
  return one.alone->value("beside others") / threads / measured_seconds(one.forked[at]);
}

std::string beside_text(double share) {
  return std::isnan(share) ? "" : fmt::format("{:.2f}{}", share, share < least_share ? " *" : "");
}

// How many reach it, and the least of those that do not.
std::string count_beside(const std::vector<Case>& cases, int threads) {
  int measured = 0, reached = 0;
  double least = 1;
  for (const Case& one : cases) {
    const double share = beside_share(one, threads);
    measured += !std::isnan(share), reached += share >= least_share;
    if (share < least) least = share;
  }
  return measured ? fmt::format("{} of {}{}", reached, measured,
                                reached < measured ? fmt::format(", least {:.2f}", least) : "")
                  : "";
}

std::string text(const Document& document, const ForksPlan& plan, Style style) {
  return render(forks_grid(document, plan), style);
}
std::string full(const Document& document) { return join_parts(document, text); }

}  // namespace

Grid forks_grid(const Document& document, const ForksPlan& plan) {
  const auto cases = cases_of(document, plan);
  const bool hints = std::ranges::any_of(cases, [](const Case& one) { return one.alone->find("hint"); });
  Grid grid{
      .caption = fmt::format(
          "{} {}, {} threads over one (* neither {} of it nor within a microsecond{}):", plan.operation,
          plan.element, plan.threads, least_share,
          hints ? fmt::format("; a hint * off by more than a factor of {}, where it matters", hint_factor)
                : ""),
      .columns = {{"variant and size", true}, {"one thread, us"}}};
  if (hints) grid.columns.push_back({"hint over it"});
  for (const ForkPolicy policy : fork_policies) grid.columns.push_back({std::string(name_of(policy))});
  const bool beside =
      std::ranges::any_of(cases, [](const Case& one) { return one.alone->find("beside others"); });
  if (beside)
    grid.columns.push_back(
        {fmt::format("{} over {} side by side", name_of(default_fork_policy), plan.threads)});
  for (const Case& one : cases) {
    const double seconds = measured_seconds(one.alone);
    std::vector<std::string> row{one.alone->row, seconds > 0 ? figure(seconds * 1e6) : reason_of(one.alone)};
    if (hints) row.push_back(seconds > 0 ? hint_text(one) : "");
    for (const Record* forked : one.forked) row.push_back(speed_up(*one.alone, forked));
    if (beside) row.push_back(beside_text(beside_share(one, plan.threads)));
    grid.rows.push_back(std::move(row));
  }
  std::vector<std::string> last{"in all", ""};
  if (hints) last.push_back(count_hints(cases));
  for (std::size_t p = 0; p < fork_policies.size(); ++p) last.push_back(count_text(cases, p));
  if (beside) last.push_back(count_beside(cases, plan.threads));
  grid.rows.push_back(std::move(last));
  return grid;
}

extern const ReportKind forks_report{.kind = "forks", .title = "forks", .full = full, .summary = full};

}  // namespace tallcache
