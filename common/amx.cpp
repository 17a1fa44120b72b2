#include "common/amx.hpp"

#ifdef TALLCACHE_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#endif

namespace tallcache {

#ifdef TALLCACHE_AMX
namespace {

std::string find_reason() {
  if (!has_amx()) return "the processor has no AMX tiles for bfloat16";
  constexpr long ask_for_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  if (syscall(SYS_arch_prctl, ask_for_permission, tile_data) != 0)
    return std::string("Linux gives no permission for AMX tiles: ") + std::strerror(errno);
  return {};
}

}  // namespace

bool has_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned amx_bf16 = 1u << 22, amx_tile = 1u << 24;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & amx_bf16) && (edx & amx_tile);
}

std::string amx_unavailable() {
  static const std::string reason = find_reason();
  return reason;
}

#else

bool has_amx() { return false; }
std::string amx_unavailable() { return "AMX tiles are Intel's"; }

#endif

}  // namespace tallcache
