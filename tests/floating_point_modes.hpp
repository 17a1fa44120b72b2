// Floating-point modes, and what a thread is in, for the tests of parallel programs.
#pragma once

#include <immintrin.h>

#include <array>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

namespace tallcache::test {

/// A rounding direction, and whether subnormal numbers are flushed to zero (as a result and as an operand).
struct FloatingPointMode {
  int rounding = FE_TONEAREST;
  bool flushes = false;
  friend bool operator==(const FloatingPointMode&, const FloatingPointMode&) = default;
};

inline std::string name_of(const FloatingPointMode& mode) {
  if (mode.flushes) return "flushing";
  switch (mode.rounding) {
    case FE_UPWARD:
      return "upward";
    case FE_DOWNWARD:
      return "downward";
    case FE_TOWARDZERO:
      return "toward_zero";
    default:
      return "to_nearest";
  }
}
inline std::ostream& operator<<(std::ostream& out, const FloatingPointMode& mode) {
  return out << name_of(mode);
}

inline constexpr FloatingPointMode to_nearest{};
/// All but the default one.
inline constexpr std::array<FloatingPointMode, 4> odd_modes{
    {{FE_UPWARD}, {FE_DOWNWARD}, {FE_TOWARDZERO}, {FE_TONEAREST, true}}};

inline constexpr unsigned flushing_bits = 0x8040;  // of MXCSR: flush to zero, denormals are zero

/// The mode of this thread: of its vector unit, and of the x87 unit where that is in another one.
inline FloatingPointMode current_mode() {
  std::uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  const unsigned vector = _mm_getcsr();
  const int x87_rounding = x87 & 0xc00, vector_rounding = static_cast<int>(vector >> 3 & 0xc00);
  return {x87_rounding == vector_rounding ? vector_rounding : -1, (vector & flushing_bits) == flushing_bits};
}

/// The thread is in a mode while this lives.
class InMode {
 public:
  explicit InMode(const FloatingPointMode& mode) : before_(current_mode()) { set(mode); }
  ~InMode() { set(before_); }
  InMode(const InMode&) = delete;
  InMode& operator=(const InMode&) = delete;

 private:
  static void set(const FloatingPointMode& mode) {
    std::fesetround(mode.rounding);
    _mm_setcsr((_mm_getcsr() & ~flushing_bits) | (mode.flushes ? flushing_bits : 0));
  }

  FloatingPointMode before_;
};

/// Whether the bytes are the same: where operands are flushed, a subnormal number equals 0.
inline bool same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace tallcache::test
