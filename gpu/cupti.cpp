#include "gpu/cupti.hpp"

#include <fmt/format.h>

#include "common/error.hpp"

#ifndef TALLCACHE_CUPTI_FOLDER

namespace tallcache::gpu {
namespace {
[[noreturn]] void without_cupti() {
  throw Error("this build was made without CUPTI's headers", Status::unavailable);
}
}  // namespace

int metric_passes(const std::string&, std::span<const char* const>) { without_cupti(); }
std::string cupti_reason(int) { without_cupti(); }
std::vector<double> collect_metrics(int, std::span<const char* const>, const CountedRun&) { without_cupti(); }
std::vector<std::vector<double>> collect_ranges(int, std::span<const char* const>, std::size_t,
                                                const std::function<void(std::size_t)>&,
                                                const std::function<void()>&) {
  without_cupti();
}
}  // namespace tallcache::gpu

#else

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "gpu/check.hpp"
#include "gpu/cupti_library.hpp"

namespace tallcache::gpu {
namespace {

using Image = std::vector<std::uint8_t>;

/// What CUPTI knows of a chip's metrics, without the chip.
class ProfilerHost {
 public:
  /// `availability`: of a device's counters; empty where there is none.
  ProfilerHost(const std::string& chip, Image availability)
      : chip_(chip), availability_(std::move(availability)) {
    CUpti_Profiler_Host_Initialize_Params params{
        .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
        .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
        .pChipName = chip_.c_str(),
        .pCounterAvailabilityImage = availability_.empty() ? nullptr : availability_.data()};
    if (const CUptiResult result = cupti().cuptiProfilerHostInitialize(&params); result != CUPTI_SUCCESS)
      throw Error(fmt::format("CUPTI does not know the chip '{}': {}", chip, words(result)),
                  Status::unavailable);
    host_ = params.pHostObject;
  }
  ~ProfilerHost() {
    CUpti_Profiler_Host_Deinitialize_Params params{
        .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, .pHostObject = host_};
    cupti().cuptiProfilerHostDeinitialize(&params);
  }
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;

  /// How the device collects the metrics. Once for each host.
  Image config(std::span<const char* const> metrics) const {
    // All at once: metrics that are added one by one share no pass. A host that refused one refuses all.
    if (!add(metrics)) {
      for (const char* const& metric : metrics)
        if (!ProfilerHost(chip_, availability_).add({&metric, 1}))
          throw Error(fmt::format("{} has no metric '{}'", chip_, metric), Status::unsupported);
      throw Error(fmt::format("{} does not collect these metrics together", chip_), Status::unsupported);
    }
    CUpti_Profiler_Host_GetConfigImageSize_Params size{
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = host_};
    TALLCACHE_CUPTI(cuptiProfilerHostGetConfigImageSize, &size);
    Image image(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params params{
        .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
        .pHostObject = host_,
        .configImageSize = image.size(),
        .pConfigImage = image.data()};
    TALLCACHE_CUPTI(cuptiProfilerHostGetConfigImage, &params);
    return image;
  }

  /// The metrics' values of one range.
  std::vector<double> values(const Image& counter_data, std::size_t range,
                             std::span<const char* const> metrics) const {
    std::vector<double> values(metrics.size());
    std::vector<const char*> names(metrics.begin(), metrics.end());
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params{
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = host_,
        .pCounterDataImage = counter_data.data(),
        .counterDataImageSize = counter_data.size(),
        .rangeIndex = range,
        .ppMetricNames = names.data(),
        .numMetrics = names.size(),
        .pMetricValues = values.data()};
    TALLCACHE_CUPTI(cuptiProfilerHostEvaluateToGpuValues, &params);
    return values;
  }

 private:
  bool add(std::span<const char* const> metrics) const {
    std::vector<const char*> names(metrics.begin(), metrics.end());
    CUpti_Profiler_Host_ConfigAddMetrics_Params params{
        .structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
        .pHostObject = host_,
        .ppMetricNames = names.data(),
        .numMetrics = names.size()};
    return cupti().cuptiProfilerHostConfigAddMetrics(&params) == CUPTI_SUCCESS;
  }

  std::string chip_;
  Image availability_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

std::string chip_of(int device) {
  CUpti_Device_GetChipName_Params params{.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                         .deviceIndex = static_cast<std::size_t>(device)};
  TALLCACHE_CUPTI(cuptiDeviceGetChipName, &params);
  return params.pChipName;
}

// Which of its counters the device of the current context has for this process.
Image availability() {
  CUpti_Profiler_GetCounterAvailability_Params params{
      .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
  TALLCACHE_CUPTI(cuptiProfilerGetCounterAvailability, &params);
  Image image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  TALLCACHE_CUPTI(cuptiProfilerGetCounterAvailability, &params);
  return image;
}

int passes_of(Image config) {
  CUpti_Profiler_Host_GetNumOfPasses_Params params{
      .structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
      .configImageSize = config.size(),
      .pConfigImage = config.data()};
  TALLCACHE_CUPTI(cuptiProfilerHostGetNumOfPasses, &params);
  return static_cast<int>(params.numOfPasses);
}

CUcontext current_context() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto current =
      reinterpret_cast<decltype(&cuCtxGetCurrent)>(driver ? dlsym(driver, "cuCtxGetCurrent") : nullptr);
  CUcontext context = nullptr;
  if (!current || current(&context) != CUDA_SUCCESS || !context)
    throw Error("the device has no current context", Status::unavailable);
  return context;
}

/// CUPTI's profilers for this process, as long as it lives.
struct Profilers {
  Profilers() {
    CUpti_Profiler_Initialize_Params params{.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    TALLCACHE_CUPTI(cuptiProfilerInitialize, &params);
  }
  ~Profilers() {
    CUpti_Profiler_DeInitialize_Params params{.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    cupti().cuptiProfilerDeInitialize(&params);
  }
  Profilers(const Profilers&) = delete;
  Profilers& operator=(const Profilers&) = delete;
};

/// The counters of the current context, for ranges that the caller replays.
class RangeProfiler {
 public:
  explicit RangeProfiler(std::size_t ranges) : ranges_(ranges) {
    for (std::size_t range = 0; range < ranges; ++range) names_.push_back(std::to_string(range));
    CUpti_RangeProfiler_Enable_Params params{.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                             .ctx = current_context()};
    TALLCACHE_CUPTI(cuptiRangeProfilerEnable, &params);
    profiler_ = params.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    CUpti_RangeProfiler_Disable_Params params{.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = profiler_};
    cupti().cuptiRangeProfilerDisable(&params);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// The counter data of run(0), run(1), ..., all of which are called once for each pass, after `prepare`.
  Image collect(const Image& config, std::span<const char* const> metrics,
                const std::function<void(std::size_t)>& run, const std::function<void()>& prepare) {
    Image data = counter_data(metrics);
    CUpti_RangeProfiler_SetConfig_Params params{
        .structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
        .pRangeProfilerObject = profiler_,
        .configSize = config.size(),
        .pConfig = config.data(),
        .counterDataImageSize = data.size(),
        .pCounterDataImage = data.data(),
        .range = CUPTI_UserRange,
        .replayMode = CUPTI_UserReplay,
        .maxRangesPerPass = ranges_,
        .numNestingLevels = 1,
        .minNestingLevel = 1,
        .passIndex = 0,
        .targetNestingLevel = 1};
    TALLCACHE_CUPTI(cuptiRangeProfilerSetConfig, &params);
    for (int passes = passes_of(config); !pass(run, prepare); --passes)
      if (passes <= 1) throw Error("CUPTI asks for more passes than it announced", Status::failed);
    CUpti_RangeProfiler_DecodeData_Params decode{
        .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE, .pRangeProfilerObject = profiler_};
    TALLCACHE_CUPTI(cuptiRangeProfilerDecodeData, &decode);
    if (decode.numOfRangeDropped)
      throw Error(fmt::format("CUPTI dropped {} of {} ranges", decode.numOfRangeDropped, ranges_),
                  Status::failed);
    return data;
  }

  /// The place of range number i in the data: CUPTI names them, and need not keep their order.
  std::vector<std::size_t> places(const Image& data) const {
    CUpti_RangeProfiler_GetCounterDataInfo_Params info{
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = data.data(),
        .counterDataImageSize = data.size()};
    TALLCACHE_CUPTI(cuptiRangeProfilerGetCounterDataInfo, &info);
    if (info.numTotalRanges != ranges_)
      throw Error(fmt::format("CUPTI has {} of {} ranges", info.numTotalRanges, ranges_), Status::failed);
    std::vector<std::size_t> places(ranges_, ranges_);
    for (std::size_t place = 0; place < ranges_; ++place) {
      CUpti_RangeProfiler_CounterData_GetRangeInfo_Params params{
          .structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE,
          .pCounterDataImage = data.data(),
          .counterDataImageSize = data.size(),
          .rangeIndex = place,
          .rangeDelimiter = "/"};
      TALLCACHE_CUPTI(cuptiRangeProfilerCounterDataGetRangeInfo, &params);
      const std::string_view name = params.rangeName;
      std::size_t range = ranges_;
      std::from_chars(name.data(), name.data() + name.size(), range);
      if (range >= ranges_ || places[range] != ranges_)
        throw Error(fmt::format("CUPTI has a range '{}' that was not asked for", name), Status::failed);
      places[range] = place;
    }
    return places;
  }

 private:
  Image counter_data(std::span<const char* const> metrics) {
    std::vector<const char*> names(metrics.begin(), metrics.end());
    CUpti_RangeProfiler_GetCounterDataSize_Params size{
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = profiler_,
        .pMetricNames = names.data(),
        .numMetrics = names.size(),
        .maxNumOfRanges = ranges_,
        .maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges_)};
    TALLCACHE_CUPTI(cuptiRangeProfilerGetCounterDataSize, &size);
    Image data(size.counterDataSize);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params params{
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = profiler_,
        .counterDataSize = data.size(),
        .pCounterData = data.data()};
    TALLCACHE_CUPTI(cuptiRangeProfilerCounterDataImageInitialize, &params);
    return data;
  }

  /// Whether this was the last one.
  bool pass(const std::function<void(std::size_t)>& run, const std::function<void()>& prepare) {
    if (prepare) {
      prepare();
      TALLCACHE_CUDA(cudaDeviceSynchronize());
    }
    CUpti_RangeProfiler_Start_Params start{.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                           .pRangeProfilerObject = profiler_};
    TALLCACHE_CUPTI(cuptiRangeProfilerStart, &start);
    for (std::size_t range = 0; range < ranges_; ++range) {
      CUpti_RangeProfiler_PushRange_Params push{
          .structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
          .pRangeProfilerObject = profiler_,
          .pRangeName = names_[range].c_str()};
      TALLCACHE_CUPTI(cuptiRangeProfilerPushRange, &push);
      run(range);
      TALLCACHE_CUDA(cudaDeviceSynchronize());
      CUpti_RangeProfiler_PopRange_Params pop{.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = profiler_};
      TALLCACHE_CUPTI(cuptiRangeProfilerPopRange, &pop);
    }
    CUpti_RangeProfiler_Stop_Params stop{.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                         .pRangeProfilerObject = profiler_};
    TALLCACHE_CUPTI(cuptiRangeProfilerStop, &stop);
    return stop.isAllPassSubmitted != 0;
  }

  std::size_t ranges_;
  std::vector<std::string> names_;  ///< of the ranges, as long as CUPTI may read them
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

}  // namespace

std::string cupti_reason(int result) { return words(static_cast<CUptiResult>(result)); }

int metric_passes(const std::string& chip, std::span<const char* const> metrics) {
  const ProfilerHost host(chip, {});
  return passes_of(host.config(metrics));
}

std::vector<std::vector<double>> collect_ranges(int device, std::span<const char* const> metrics,
                                                std::size_t ranges,
                                                const std::function<void(std::size_t)>& run,
                                                const std::function<void()>& prepare) {
  if (ranges == 0) return {};
  TALLCACHE_CUDA(cudaSetDevice(device));
  TALLCACHE_CUDA(cudaFree(nullptr));  // makes the device's context
  const Profilers profilers;
  const ProfilerHost host(chip_of(device), availability());
  const Image config = host.config(metrics);
  RangeProfiler profiler(ranges);
  const Image data = profiler.collect(config, metrics, run, prepare);
  std::vector<std::vector<double>> values;
  for (const std::size_t place : profiler.places(data)) values.push_back(host.values(data, place, metrics));
  return values;
}

std::vector<double> collect_metrics(int device, std::span<const char* const> metrics,
                                    const CountedRun& counted) {
  return collect_ranges(
             device, metrics, 1, [&](std::size_t) { counted.run(); }, counted.prepare)
      .front();
}

}  // namespace tallcache::gpu

#endif
