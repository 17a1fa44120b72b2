#include "gpu/cuda_state.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <string>

#include "gpu/probe.hpp"

namespace tallcache {
namespace {

// "13.0" of 13000; the runtime reports 0 when there is no driver.
std::string version(int number) {
  return number == 0 ? "none" : fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string because(const char* call, cudaError_t error) {
  return fmt::format("{}: {} ({})", call, cudaGetErrorString(error), cudaGetErrorName(error));
}

// Empty when a kernel ran on `device` and its answer came back: code for another architecture is seen only
// here.
std::string failure(int device) {
  int previous = 0, *out = nullptr, got = 0;
  if (const cudaError_t e = cudaGetDevice(&previous)) return because("cudaGetDevice", e);
  if (const cudaError_t e = cudaSetDevice(device)) return because("cudaSetDevice", e);
  std::string why;
  if (const cudaError_t e = cudaMalloc(&out, sizeof *out)) {
    why = because("cudaMalloc", e);
  } else {
    gpu::launch_probe(out);
    if (const cudaError_t launch = cudaGetLastError())
      why = because("kernel launch", launch);
    else if (const cudaError_t copy = cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost))
      why = because("cudaMemcpy", copy);
    else if (got != gpu::probe_token)
      why = "a kernel returned a wrong value";
    cudaFree(out);
  }
  cudaSetDevice(previous);
  return why;
}

// What there is to choose from, or why there is nothing.
struct Count {
  int driver = 0, runtime = 0, devices = 0;
  std::string why_none;

  Count() {
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0)
      why_none = "no NVIDIA driver is installed";
    else if (driver / 1000 < runtime / 1000)
      why_none =
          fmt::format("the driver ({}) is older than the runtime ({})", version(driver), version(runtime));
    else if (const cudaError_t e = cudaGetDeviceCount(&devices))
      why_none = because("cudaGetDeviceCount", e);
    else if (devices == 0)
      why_none = "CUDA counts no device";
  }
};

std::string describe(int device) {
  cudaDeviceProp p{};
  if (const cudaError_t e = cudaGetDeviceProperties(&p, device)) return because("cudaGetDeviceProperties", e);
  std::string line = fmt::format("{} ({}.{}, {} SMs, {:.0f} GB", p.name, p.major, p.minor,
                                 p.multiProcessorCount, static_cast<double>(p.totalGlobalMem) / 1e9);
  if (const std::string why = failure(device); !why.empty()) line += ", unusable: " + why;
  return line + ")";
}

}  // namespace

std::string cuda_state() {
  const Count count;
  std::string line = fmt::format("driver {}, runtime {}, ", version(count.driver), version(count.runtime));
  if (!count.why_none.empty()) return line + "no device: " + count.why_none;
  const int devices = count.devices;
  line += fmt::format("{} device{}", devices, devices == 1 ? "" : "s");
  for (int device = 0; device < devices; ++device) line += (device ? ", " : ": ") + describe(device);
  return line;
}

std::string device_unavailable(int device) {
  const Count count;
  if (!count.why_none.empty()) return count.why_none;
  if (device < 0 || device >= count.devices)
    return fmt::format("there is no device {}; CUDA counts {}, from 0", device, count.devices);
  return failure(device);
}

int device_count() { return Count().devices; }

std::string cuda_unavailable() {
  static const std::string reason = [] {
    std::string first = device_unavailable(0);
    for (int device = 1; !first.empty() && device < device_count(); ++device)
      if (device_unavailable(device).empty()) return std::string();
    return first;
  }();
  return reason;
}

}  // namespace tallcache
