// A model of the tile registers: what AmxTiles (common/amx.hpp) does, without the instructions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace tallcache {

/// Eight registers of 16 rows of 64 bytes, for each thread. To use them outside of begin() and end() throws,
/// as the processor faults.
struct ModelTiles {
  static void begin() { file() = {.configured = true}; }
  static void end() { used().configured = false; }

  template <int t>
  static void zero() {
    used().tile[t] = {};
  }
  template <int t>
  static void load(const void* from, std::ptrdiff_t stride) {
    for (int r = 0; r < 16; ++r)
      std::memcpy(used().tile[t].row[r], static_cast<const std::byte*>(from) + r * stride, 64);
  }
  template <int t>
  static void store(void* to, std::ptrdiff_t stride) {
    for (int r = 0; r < 16; ++r)
      std::memcpy(static_cast<std::byte*>(to) + r * stride, used().tile[t].row[r], 64);
  }
  template <int c>
  static void dot() {
    Tile &sums = used().tile[c], &a = used().tile[4 + c / 2], &b = used().tile[6 + c % 2];
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        float sum = std::bit_cast<float>(sums.row[i][j]);
        for (int pair = 0; pair < 16; ++pair)
          sum += high(a.row[i][pair] << 16) * high(b.row[pair][j] << 16) +
                 high(a.row[i][pair]) * high(b.row[pair][j]);
        sums.row[i][j] = std::bit_cast<std::uint32_t>(sum);
      }
  }

 private:
  struct Tile {
    std::uint32_t row[16][16];
  };
  struct File {
    bool configured = false;
    Tile tile[8] = {};
  };
  static File& file() {
    static thread_local File file;
    return file;
  }
  static File& used() {
    if (!file().configured) throw std::logic_error("a tile register is used without a configuration");
    return file();
  }
  /// The bfloat16 in the upper half of a word.
  static float high(std::uint32_t word) { return std::bit_cast<float>(word & 0xffff0000u); }
};

}  // namespace tallcache
