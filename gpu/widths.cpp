#include "gpu/widths.hpp"

namespace tallcache::gpu {
namespace {

constexpr auto global = cache::Space::global, shared = cache::Space::shared;
constexpr auto load = cache::AccessKind::load, store = cache::AccessKind::store;

constexpr warp::CompiledAccess accesses[] = {
#define TALLCACHE_WIDTHS_OF(compiler, architecture)
#define TALLCACHE_WIDTHS(kernel, file, line, space, kind, ...) \
  {kernel, file, line, space, kind, {__VA_ARGS__}},
#include "width_lines.inc"
#undef TALLCACHE_WIDTHS
#undef TALLCACHE_WIDTHS_OF
};

constexpr warp::CompiledWidths table = {
#define TALLCACHE_WIDTHS_OF(compiler, architecture) compiler, architecture,
#define TALLCACHE_WIDTHS(...)
#include "width_lines.inc"
#undef TALLCACHE_WIDTHS
#undef TALLCACHE_WIDTHS_OF
    accesses};

}  // namespace

const warp::CompiledWidths& compiled_widths() { return table; }

}  // namespace tallcache::gpu
