#include "cpu/peers/fastest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <vector>

#include "common/error.hpp"
#include "common/measure/statistics.hpp"

namespace tallcache::cpu::peers {
namespace {

constexpr int first_rounds = 2, rounds = 5;
constexpr double too_slow = 2, cannot_run = std::numeric_limits<double>::infinity();

// The least of the first rounds: a first run pays for pages, code and clocks.
std::vector<double> first_look(std::span<const Way> ways) {
  std::vector<double> least(ways.size(), cannot_run);
  std::vector<bool> failed(ways.size());
  std::exception_ptr error;
  for (int round = 0; round < first_rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) try {
        if (!failed[i]) least[i] = std::min(least[i], ways[i].seconds());
      } catch (const Error&) {
        failed[i] = true, least[i] = cannot_run;
        error = std::current_exception();
      }
  if (error && std::ranges::count(least, cannot_run) == std::ssize(least)) std::rethrow_exception(error);
  return least;
}

std::string text_of(std::span<const Way> ways, std::span<const double> seconds, std::size_t best) {
  std::string others;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (i == best) continue;
    others += others.empty() ? "" : ", ";
    others += seconds[i] == cannot_run ? fmt::format("{} cannot run", ways[i].name)
                                       : fmt::format("{}{} {:.2f}x", ways[i].name,
                                                     others.find("takes") == others.npos ? " takes" : "",
                                                     seconds[i] / seconds[best]);
  }
  return others.empty() ? ways[best].name : fmt::format("{} ({})", ways[best].name, others);
}

}  // namespace

Fastest fastest(std::span<const Way> ways) {
  if (ways.size() == 1) return {0, ways[0].name};
  std::vector<double> seconds = first_look(ways);
  const double least = *std::ranges::min_element(seconds);
  std::vector<std::size_t> close;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (seconds[i] < too_slow * least) close.push_back(i);
  if (close.size() > 1) {
    std::vector<std::vector<double>> samples(ways.size());
    for (int round = 0; round < rounds; ++round)
      for (const std::size_t i : close) samples[i].push_back(ways[i].seconds());
    for (const std::size_t i : close) seconds[i] = median(samples[i]);
  }
  std::size_t best = close.front();
  for (const std::size_t i : close)
    if (seconds[i] < seconds[best]) best = i;
  return {best, text_of(ways, seconds, best)};
}

}  // namespace tallcache::cpu::peers
