#include "gpu/cuda_state.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "gpu/nvml.hpp"
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

// Empty when a kernel ran on `device` and its answer came back. Only this test shows that the code is for
// another architecture.
std::string failure(int device, const std::string& compute_capability) {
  int previous = 0, *out = nullptr, got = 0;
  if (const cudaError_t e = cudaGetDevice(&previous)) return because("cudaGetDevice", e);
  if (const cudaError_t e = cudaSetDevice(device)) return because("cudaSetDevice", e);
  std::string why;
  if (const cudaError_t e = cudaMalloc(&out, sizeof *out)) {
    why = because("cudaMalloc", e);
  } else {
    gpu::launch_probe(out);
    if (const cudaError_t launch = cudaGetLastError();
        launch == cudaErrorNoKernelImageForDevice || launch == cudaErrorUnsupportedPtxVersion)
      why = architecture_error(TALLCACHE_CUDA_ARCHITECTURES, compute_capability);
    else if (launch)
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

// The devices, or the reason why there are none.
struct Count {
  int driver = 0, runtime = 0, devices = 0;
  std::string why_none;
  bool no_gpu = false;  // there is no GPU, which is not an error

  Count() {
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (why_none = driver_error(driver, runtime); !why_none.empty()) {
      no_gpu = driver == 0;
    } else if (const cudaError_t e = cudaGetDeviceCount(&devices)) {
      why_none = because("cudaGetDeviceCount", e);
      no_gpu = e == cudaErrorNoDevice;
    } else if (devices == 0) {
      why_none = "CUDA counts no device";
      no_gpu = true;
    }
  }
};

const Count& count() {
  static const Count count;
  return count;
}

Device facts(int device) {
  cudaDeviceProp p{};
  if (const cudaError_t e = cudaGetDeviceProperties(&p, device))
    return {.name = fmt::format("device {}", device), .unusable = because("cudaGetDeviceProperties", e)};
  Device gpu{.name = p.name,
             .compute_capability = fmt::format("{}.{}", p.major, p.minor),
             .multiprocessors = p.multiProcessorCount,
             .memory_bytes = p.totalGlobalMem};
  gpu.unusable = failure(device, gpu.compute_capability);
  return gpu;
}

}  // namespace

std::string driver_error(int driver, int runtime) {
  if (driver == 0) return "no NVIDIA driver is installed";
  if (driver / 1000 < runtime / 1000)
    return fmt::format("the driver ({}) is older than the runtime ({})", version(driver), version(runtime));
  return {};
}

std::string architecture_error(std::string_view built_for, std::string_view compute_capability) {
  std::string own(compute_capability);
  std::erase(own, '.');
  return fmt::format(
      "built for the CUDA architectures {}, which do not run on compute capability {}; build it with "
      "-DCMAKE_CUDA_ARCHITECTURES={}",
      built_for, compute_capability, own == "90" ? "90a" : own);
}

std::string capability_error(std::string_view needed, const std::vector<Device>& devices) {
  const Device* other = nullptr;
  for (const Device& device : devices) {
    if (!device.unusable.empty()) continue;
    if (device.compute_capability == needed) return {};
    if (!other) other = &device;
  }
  if (!other) return "no GPU can be used";
  return fmt::format("its code is for compute capability {}; {} has {}", needed, other->name,
                     other->compute_capability);
}

const std::vector<Device>& cuda_devices() {
  static const std::vector<Device> devices = [] {
    std::vector<Device> list;
    for (int device = 0; device < count().devices; ++device) list.push_back(facts(device));
    return list;
  }();
  return devices;
}

std::string cuda_versions() {
  return fmt::format("driver {}, runtime {}{}{}", version(count().driver), version(count().runtime),
                     count().why_none.empty() ? "" : ": ", count().why_none);
}

std::string device_unavailable(int device) {
  if (!count().why_none.empty()) return count().why_none;
  if (device < 0 || device >= count().devices)
    return fmt::format("there is no device {}; CUDA counts {}, from 0", device, count().devices);
  return cuda_devices()[device].unusable;
}

std::string device_fault(int device) {
  return count().no_gpu && device == 0 ? std::string() : device_unavailable(device);
}

namespace {

// By the bus: CUDA_VISIBLE_DEVICES renumbers CUDA's devices and not NVML's.
template <class T>
Figure<T> asked_by_bus(int device, Figure<T> (*ask)(const std::string& pci_bus_id)) {
  char id[32] = "";
  if (const cudaError_t e = cudaDeviceGetPCIBusId(id, sizeof id, device))
    return Figure<T>::none(because("cudaDeviceGetPCIBusId", e));
  return ask(id);
}

}  // namespace

Figure<DeviceState> cuda_device_state(int device) { return asked_by_bus(device, &gpu::nvml_state); }

Figure<double> cuda_device_joules(int device) { return asked_by_bus(device, &gpu::nvml_joules); }

std::string cuda_unavailable() {
  std::string first = device_unavailable(0);
  for (int device = 1; !first.empty() && device < count().devices; ++device)
    if (device_unavailable(device).empty()) return {};
  return first;
}

}  // namespace tallcache
