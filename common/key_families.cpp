#include "common/key_families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace tallcache {
namespace {

using Stream = std::unique_ptr<const KeyStream>;

// The keys at(i).
template <class At>
Stream stream(At at) {
  struct Made final : KeyStream {
    explicit Made(At made) : at(std::move(made)) {}
    std::uint64_t operator()(std::uint64_t i) const override { return at(i); }
    At at;
  };
  return std::make_unique<Made>(std::move(at));
}

std::uint64_t whole(const KeyPoint& point, std::string_view param) {
  return static_cast<std::uint64_t>(point[param].value());
}

// The number at a fraction of [0, max], rounded to its nearer end. The least part of a key is added, as most
// fractions are no doubles: 0.01 of 300 is 3.
std::uint64_t at_fraction(double fraction, std::uint64_t max) {
  const double from_end = std::floor(std::min(fraction, 1 - fraction) * static_cast<double>(max) + 0x1p-20);
  return fraction <= 0.5 ? static_cast<std::uint64_t>(from_end) : max - static_cast<std::uint64_t>(from_end);
}

// Where the parameter says, else where the seed does.
std::uint64_t placed(std::optional<double> fraction, std::uint64_t seed, std::uint64_t max) {
  return fraction ? at_fraction(*fraction, max) : random_up_to(seed, 0, max);
}

// Key i of n that are in order.
std::uint64_t in_order(const KeyProblem& of, std::uint64_t i) {
  return static_cast<std::uint64_t>(static_cast<double>(i) / static_cast<double>(of.n) *
                                    static_cast<double>(of.range));
}

// A permutation of [0, n): odd factors, summands and shifts permute the words of as many bits as n - 1 has; a
// word that is no position is mapped again until it is one.
std::uint64_t shuffled(std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  const int bits = n > 2 ? static_cast<int>(std::bit_width(n - 1)) : 1;
  do
    for (std::uint64_t round = 0; round < 3; ++round) {
      i = i * (random_bits(seed, 2 * round) | 1) + random_bits(seed, 2 * round + 1);
      i &= ~std::uint64_t{0} >> (64 - bits);
      i ^= i >> (bits + 1) / 2;
    }
  while (i >= n);
  return i;
}

// A permutation of [0, n) that keeps i in its block: blocks of `size` positions, but for the first, which has
// `first`, and the last.
std::uint64_t shuffled_in_blocks(std::uint64_t i, std::uint64_t n, std::uint64_t size, std::uint64_t first,
                                 std::uint64_t seed) {
  const std::uint64_t block = (i + size - first) / size;
  const std::uint64_t begin = block == 0 ? 0 : block * size + first - size;
  const std::uint64_t end = std::min(n, block * size + first);
  return begin + shuffled(i - begin, end - begin, seed + block);
}

Stream uniform(const KeyPoint&, const KeyProblem& of) {
  return stream([=](std::uint64_t i) { return random_up_to(of.seed, i, of.range); });
}

Stream few(const KeyPoint& point, const KeyProblem& of) {
  return stream([=, last = whole(point, "v") - 1](std::uint64_t i) {
    return random_up_to(of.seed, random_up_to(of.seed + 1, i, last), of.range);
  });
}

constexpr std::string_view directions[] = {"up", "down", "alternating"};

Stream runs(const KeyPoint& point, const KeyProblem& of) {
  const std::string_view direction = directions[whole(point, "direction")];
  const bool down = direction == "down", alternating = direction == "alternating";
  return stream([=, r = whole(point, "r")](std::uint64_t i) {
    const std::uint64_t run = i * r / of.n;
    const std::uint64_t begin = (run * of.n + r - 1) / r, end = ((run + 1) * of.n + r - 1) / r;
    const bool falls = down || (alternating && run % 2 == 1);
    return in_order(of, (falls ? end - 1 - i : i - begin) * r);
  });
}

// Shuffled in blocks, and again in others that lie across their ends.
Stream displaced(const KeyPoint& point, const KeyProblem& of) {
  const std::uint64_t d = whole(point, "d");
  if (d + 1 >= of.n) return stream([=](std::uint64_t i) { return in_order(of, shuffled(i, of.n, of.seed)); });
  const std::uint64_t size = (d + 1) / 2 + 1, size_across = d / 2 + 1;
  return stream([=](std::uint64_t i) {
    const std::uint64_t moved = shuffled_in_blocks(i, of.n, size, size, of.seed);
    return in_order(
        of, shuffled_in_blocks(moved, of.n, size_across, (size_across + 1) / 2, random_bits(of.seed, 0)));
  });
}

// The whole part of a number with the density x^-s from 1 on, less 1, by the inverse of its distribution.
double zipf_key(double u, double s, double end, bool clamped) {
  if (s == 1) return std::pow(end, u) - 1;
  if (clamped && s > 1) return std::pow(1 - u, 1 / (1 - s)) - 1;
  return std::expm1(std::log1p(u * std::expm1((1 - s) * std::log(end))) / (1 - s));
}

Stream zipf(const KeyPoint& point, const KeyProblem& of) {
  const double s = point["s"].value(), range = static_cast<double>(of.range);
  const bool clamped = point["clamped"] == 1;
  const auto key = [=](std::uint64_t i) {
    return static_cast<std::uint64_t>(
        std::min(range, zipf_key(random_unit(of.seed, i), s, range + 1, clamped)));
  };
  if (point["scattered"] != 1) return stream(key);
  // A permutation of [0, range]: the factor and range + 1 have no common divisor.
  auto factor = static_cast<std::uint64_t>(0.618 * range);
  while (std::gcd(factor, of.range + 1) != 1) ++factor;
  return stream([=](std::uint64_t i) { return key(i) * factor % (of.range + 1); });
}

Stream heavy(const KeyPoint& point, const KeyProblem& of) {
  const std::uint64_t value = placed(point["at"], of.seed + 2, of.range);
  return stream([=, p = point["p"].value()](std::uint64_t i) {
    return random_unit(of.seed, i) < p ? value : random_up_to(of.seed + 1, i, of.range);
  });
}

Stream bucket(const KeyPoint& point, const KeyProblem& of) {
  const std::uint64_t last = at_fraction(point["width"].value(), of.range);
  const std::uint64_t begin = placed(point["at"], of.seed + 3, of.range - last);
  return stream([=, p = point["p"].value()](std::uint64_t i) {
    return random_unit(of.seed + 1, i) < p ? begin + random_up_to(of.seed, i, last)
                                           : random_up_to(of.seed + 2, i, of.range);
  });
}

// Each part is seeded for itself, so that its keys say nothing of whose they are.
Stream mixture(const KeyPoint& point, const KeyProblem& of) {
  const auto part = [&](std::size_t number) {
    return std::shared_ptr<const KeyStream>(
        make_keys(point.parts[number], {random_bits(of.seed, number), of.n, of.range}));
  };
  return stream([=, q = point["q"].value(), first = part(0), second = part(1)](std::uint64_t i) {
    return random_unit(of.seed, i) < q ? (*first)(i) : (*second)(i);
  });
}

constexpr double most_keys = key_range.max;

constexpr KeyParam share{.name = "p", .what = "their share of all keys", .drawn_min = 0.01};
constexpr KeyParam place{
    .name = "at", .what = "where, from 0, the least key, to 1, the largest", .optional = true};

constexpr KeyParam few_params[] = {{.name = "v",
                                    .what = "values at most",
                                    .min = 1,
                                    .max = most_keys,
                                    .drawn_min = 1,
                                    .drawn_max = 65536,
                                    .whole = true}};
constexpr KeyParam runs_params[] = {
    {.name = "r",
     .what = "runs",
     .min = 1,
     .max = most_keys,
     .drawn_min = 1,
     .drawn_max = 4096,
     .drawn_share = 0.25,
     .whole = true},
    {.name = "direction", .what = "in which the keys of a run go", .words = directions}};
constexpr KeyParam displaced_params[] = {{.name = "d",
                                          .what = "places at most that a key is moved",
                                          .max = most_keys,
                                          .drawn_min = 1,
                                          .drawn_max = 67108864,
                                          .drawn_share = 1,
                                          .whole = true}};
constexpr KeyParam zipf_params[] = {
    {.name = "s", .what = "exponent", .max = 8, .drawn_min = 0.25, .drawn_max = 4},
    {.name = "clamped", .what = "what lies beyond the range is the largest key", .flag = true},
    {.name = "scattered", .what = "the probable keys lie all over the range", .flag = true}};
constexpr KeyParam heavy_params[] = {share, place};
constexpr KeyParam bucket_params[] = {share,
                                      {.name = "width",
                                       .what = "of the interval, as a share of the range",
                                       .drawn_min = 1e-6,
                                       .drawn_max = 0.1},
                                      place};
constexpr KeyParam mixture_params[] = {{.name = "q", .what = "share of the first", .drawn_min = 0.01}};

constexpr KeyFamily families[] = {
    {"uniform", "every key as probable", {}, 0, uniform},
    {"few", "few values, each as probable", few_params, 0, few},
    {"runs", "runs of keys in order, as long as each other", runs_params, 0, runs},
    {"displaced", "keys in order, each moved by a few places at most", displaced_params, 0, displaced},
    {"zipf", "the whole parts of numbers with the density x^-s, less 1: about Zipf's law", zipf_params, 0,
     zipf},
    {"heavy", "one value has a share of the keys, the others are uniform", heavy_params, 0, heavy},
    {"bucket", "an interval has a share of the keys, the others are uniform", bucket_params, 0, bucket},
    {"mixture", "each position has a key of the first input or of the second", mixture_params, 2, mixture}};

constexpr NamedKeyPoint points[] = {
    {"uniform", "uniform"},
    {"all_equal", "few:v=1"},
    {"two_values", "mixture:q=0.5(heavy:p=1,at=0.3333333333333333)(heavy:p=1,at=0.8)"},
    {"sorted", "runs:r=1"},
    {"reversed", "runs:r=1,direction=down"},
    {"max_key", "heavy:p=0.5,at=1"},
    {"zipf_1.0", "zipf:s=1"},
    {"zipf_1.5", "zipf:s=1.5,clamped"},
    {"one_percent", "bucket:p=1,width=0.01,at=0"},
    {"shuffled", "displaced:d=4294967295"},
    {"organ_pipe", "runs:r=2,direction=alternating"},
    {"zipf_1.0_scattered", "zipf:s=1,scattered"},
    {"zipf_1.5_scattered", "zipf:s=1.5,clamped,scattered"}};
static_assert(std::ranges::equal(points, key_inputs, {}, &NamedKeyPoint::name));

}  // namespace

std::optional<double> KeyPoint::operator[](std::string_view param) const {
  const auto found = std::ranges::find(family->params, param, &KeyParam::name);
  return values.at(static_cast<std::size_t>(found - family->params.begin()));
}

std::unique_ptr<const KeyStream> make_keys(const KeyPoint& point, KeyProblem problem) {
  if (point.range) problem.range = std::min(problem.range, static_cast<std::uint64_t>(*point.range));
  return point.family->keys(point, problem);
}

std::span<const KeyFamily> key_families() { return families; }

std::span<const NamedKeyPoint> named_key_points() { return points; }

}  // namespace tallcache
