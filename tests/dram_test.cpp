// The model of channels and banks against its rules, and against a count of cycles that knows no queue.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/cache/dram.hpp"
#include "tests/counted_array.hpp"

namespace tallcache::cache {
namespace {

// Every cycle is looked at: a bank that holds a sensed burst takes the bus, the oldest first.
std::int64_t cycles_of(const DramChannel& channel, int number) {
  const auto banks = static_cast<std::size_t>(channel.banks);
  std::vector<int> burst(banks, -1), wait(banks, 0);
  int next = 0, on_bus = -1, left = 0, done = 0;
  for (std::int64_t cycle = 0;; ++cycle) {
    if (on_bus >= 0 && --left == 0) burst[static_cast<std::size_t>(on_bus)] = -1, on_bus = -1, ++done;
    if (done == number) return cycle;
    for (std::size_t bank = 0; bank < banks; ++bank)
      if (wait[bank] > 0) --wait[bank];
    while (next < number && burst[static_cast<std::size_t>(next) % banks] < 0) {
      wait[static_cast<std::size_t>(next) % banks] = channel.latency;
      burst[static_cast<std::size_t>(next) % banks] = next;
      ++next;
    }
    for (std::size_t bank = 0; on_bus < 0 && bank < banks; ++bank)
      if (burst[bank] == done && wait[bank] == 0) on_bus = static_cast<int>(bank), left = channel.transfer;
  }
}

TEST(Dram, BurstsEndWhenCountedCycleByCycle) {
  for (const int banks : {1, 2, 3, 5, 8})
    for (const int latency : {0, 1, 2, 4, 7, 20})
      for (const int transfer : {1, 2, 3})
        for (const int number : {1, 2, 7, 40}) {
          const DramChannel channel{banks, latency, transfer};
          EXPECT_EQ(bursts(channel, number).back().end, cycles_of(channel, number))
              << banks << " banks, " << latency << " + " << transfer << ", " << number << " bursts";
        }
}

TEST(Dram, NoBankAndNoBusDoesTwoThingsAtOnce) {
  const std::vector<Burst> all = bursts({3, 4, 2}, 30);
  std::vector<std::int64_t> bank_free(3);
  std::int64_t bus_free = 0;
  for (const Burst& burst : all) {
    auto& bank = bank_free[static_cast<std::size_t>(burst.bank)];
    EXPECT_GE(burst.start, bank);
    EXPECT_EQ(burst.sensed - burst.start, 4);
    EXPECT_GE(burst.begin, std::max(burst.sensed, bus_free));
    EXPECT_EQ(burst.end - burst.begin, 2);
    bank = bus_free = burst.end;
  }
}

TEST(Dram, NeedsOneBankMoreThanTheRatio) {
  for (int ratio = 0; ratio <= 40; ++ratio) {
    EXPECT_EQ(fewest_banks(ratio), ratio + 1);
    EXPECT_EQ(fewest_banks(3 * ratio, 3), ratio + 1);
  }
  EXPECT_EQ(fewest_banks(4, 3), 3) << "a ratio between 1 and 2";
  EXPECT_DOUBLE_EQ(bus_use({1, 4}), 1.0 / 5);
  EXPECT_DOUBLE_EQ(bus_use({2, 4}), 2.0 / 5);
  EXPECT_DOUBLE_EQ(bus_use({5, 4}), 1);
}

TEST(Dram, ABusDelivers) {
  EXPECT_EQ(bus_bandwidth(64, 2, 1e9), 16e9);
  EXPECT_EQ(bus_bandwidth(64, 1, 1e9), 8e9);
}

TEST(Dram, ImbalanceIsMostOverMean) {
  EXPECT_EQ(imbalance(std::vector<std::uint64_t>{5, 5, 5, 5}), 1);
  EXPECT_EQ(imbalance(std::vector<std::uint64_t>{0, 20, 0, 0}), 4);
  EXPECT_TRUE(std::isnan(imbalance(std::vector<std::uint64_t>{0, 0})));
  EXPECT_TRUE(std::isnan(imbalance({})));
}

TEST(Dram, WhatIsNoChannelIsRefused) {
  for (const DramChannel& channel : {DramChannel{0, 4}, {1, -1}, {1, 4, 0}})
    EXPECT_NE(test::message_of([&] { bursts(channel, 1); }).find("a channel needs a bank"),
              std::string::npos);
}

}  // namespace
}  // namespace tallcache::cache
