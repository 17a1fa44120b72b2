// A libnvidia-ml.so.1 of one made-up GPU, "0000:01:00.0", for a machine that has none. It has no thermal
// sensor, and no function of throttle reasons beyond those that NVML declares.
#include <cstring>

namespace {

constexpr int not_supported = 3, not_found = 6;
bool initialised = false;
int device;

struct ViolationTime {
  unsigned long long reference_us, violation_ns;
};

}  // namespace

extern "C" {
int nvmlInit_v2() {
  initialised = true;
  return 0;
}
const char* nvmlErrorString(int error) { return error == not_supported ? "Not Supported" : "Not Found"; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, int** handle) {
  if (!initialised || std::strcmp(id, "0000:01:00.0") != 0) return not_found;
  *handle = &device;
  return 0;
}
int nvmlDeviceGetClockInfo(int* handle, int type, unsigned* mhz) {
  if (handle != &device) return not_found;
  *mhz = type == 1 ? 1410 : type == 2 ? 1215 : 7;
  return 0;
}
int nvmlDeviceGetPowerUsage(int* handle, unsigned* milliwatts) {
  *milliwatts = 71500;
  return handle == &device ? 0 : not_found;
}
int nvmlDeviceGetTotalEnergyConsumption(int* handle, unsigned long long* millijoules) {
  *millijoules = 5'000'000'000'250ull;  // more than 32 bits
  return handle == &device ? 0 : not_found;
}
int nvmlDeviceGetTemperature(int*, int, unsigned*) { return not_supported; }
int nvmlDeviceGetCurrentClocksThrottleReasons(int*, unsigned long long* bits) {
  *bits = 0x44;
  return 0;
}
int nvmlDeviceGetViolationStatus(int*, int policy, ViolationTime* time) {
  *time = {1, policy == 0 ? 2'500'000'000ull : 0ull};
  return policy <= 1 ? 0 : not_supported;
}
}
