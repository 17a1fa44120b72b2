#include "gpu/probe.hpp"

namespace tallcache::gpu {
namespace {
__global__ void answer(int* out) { *out = probe_token; }
}  // namespace

void launch_probe(int* out) { answer<<<1, 1>>>(out); }

}  // namespace tallcache::gpu
