# CUDA when it is there, never required. A user's CMAKE_CUDA_ARCHITECTURES or CUDAARCHS wins.
set(TALLCACHE_HAS_CUDA OFF)
if(NOT TALLCACHE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)  # the toolkit's own place, often not on the PATH
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      include(cmake/cuda_architectures.cmake)
      find_program(TALLCACHE_NVIDIA_SMI nvidia-smi)
      mark_as_advanced(TALLCACHE_NVIDIA_SMI)
      tallcache_default_architectures(CMAKE_CUDA_ARCHITECTURES "${TALLCACHE_NVIDIA_SMI}" "${CMAKE_CUDA_COMPILER}")
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")  # nvcc knows it since 12.0, CMake 3.25 does not say so
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
    set(TALLCACHE_HAS_CUDA ON)
  elseif(TALLCACHE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TALLCACHE_CUDA=ON, but no CUDA compiler was found")
  endif()
endif()
message(STATUS "CUDA: ${TALLCACHE_HAS_CUDA} ${CMAKE_CUDA_COMPILER_VERSION} ${CMAKE_CUDA_ARCHITECTURES}")

# How this project's CUDA sources are compiled.
# fmt 9's consteval checks do not compile with nvcc in C++20, so text is made in .cpp files. Views are constexpr, and
# kernels use them. 20208: long double, in checks that only the host runs.
function(tallcache_cuda_options target)
  target_compile_options(${target} PRIVATE
                         "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-diag-suppress=20208>")
  if(TALLCACHE_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
endfunction()

# Adds sources whose code needs one architecture, such as 90a, to a target. They are compiled for that one alone,
# whichever the others are compiled for; a variant in them is an OnCapability (gpu/check.hpp).
function(tallcache_add_sources_for architecture target)
  set(objects ${target}_${architecture})
  if(NOT TARGET ${objects})
    add_library(${objects} OBJECT)
    set_target_properties(${objects} PROPERTIES CUDA_ARCHITECTURES ${architecture}-real)
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${objects} PRIVATE TBB::tbb)
    tallcache_cuda_options(${objects})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endif()
  target_sources(${objects} PRIVATE ${ARGN})
endfunction()

# The GPU's part of the library: the executor, and a translation unit for each line of gpu/variants.def.
function(tallcache_add_gpu target)
  target_sources(${target} PRIVATE gpu/backend.cpp gpu/check.cpp gpu/cuda_executor.cpp gpu/cuda_graph.cpp
                                   gpu/cuda_state.cpp gpu/cupti.cpp gpu/cupti_library.cpp gpu/device_counters.cpp gpu/kernel_limits.cpp
                                   gpu/limits.cu gpu/matmul/leaf_variant.cpp gpu/memory_probes.cu gpu/nvml.cpp gpu/probe.cu
                                   gpu/profiler_range.cpp gpu/scan.cu gpu/tensor_map.cpp gpu/tensor_peaks.cu gpu/peers/cublas_library.cpp
                                   gpu/peers/cub_radix_sort.cu gpu/peers/cublas_lt.cpp gpu/peers/cufft_library.cpp
                                   gpu/peers/cusolver_library.cpp)
  tallcache_add_sources_for(90a ${target} gpu/solve/device_solve.cu gpu/warpgroup_peaks.cu)
  tallcache_cuda_options(${target})
  # The toolkit's headers are for the sources in gpu/ alone, so that the others are the same with CUDA and without, and a
  # build that gets CUDA later compiles none of them again.
  target_link_libraries(${target} PRIVATE $<LINK_ONLY:CUDA::cudart_static>)
  # cuBLAS, cuFFT and cuSOLVER are loaded when they are first used: this is where to look behind the loader's own folders.
  set_source_files_properties(gpu/peers/cublas_library.cpp PROPERTIES COMPILE_DEFINITIONS
                              "TALLCACHE_CUBLAS_FOLDER=\"${CUDAToolkit_LIBRARY_DIR}\"")
  set_source_files_properties(gpu/peers/cufft_library.cpp PROPERTIES COMPILE_DEFINITIONS
                              "TALLCACHE_CUFFT_FOLDER=\"${CUDAToolkit_LIBRARY_DIR}\"")
  set_source_files_properties(gpu/peers/cusolver_library.cpp PROPERTIES COMPILE_DEFINITIONS
                              "TALLCACHE_CUSOLVER_FOLDER=\"${CUDAToolkit_LIBRARY_DIR}\"")
  # NVTX is headers alone.
  find_path(TALLCACHE_NVTX_INCLUDE nvtx3/nvToolsExt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(TALLCACHE_NVTX_INCLUDE)
  if(TALLCACHE_NVTX_INCLUDE)
    set_source_files_properties(gpu/profiler_range.cpp PROPERTIES INCLUDE_DIRECTORIES ${TALLCACHE_NVTX_INCLUDE}
                                COMPILE_DEFINITIONS TALLCACHE_HAS_NVTX)
  else()
    message(STATUS "NVTX: not in this CUDA toolkit; a profiler shows no names of variants")
  endif()
  # CUPTI is loaded when it is first used; its headers say what it must have.
  find_path(TALLCACHE_CUPTI_INCLUDE cupti_range_profiler.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include NO_DEFAULT_PATH)
  mark_as_advanced(TALLCACHE_CUPTI_INCLUDE)
  if(TALLCACHE_CUPTI_INCLUDE)
    set_source_files_properties(gpu/cupti.cpp gpu/cupti_library.cpp PROPERTIES INCLUDE_DIRECTORIES ${TALLCACHE_CUPTI_INCLUDE}
                                COMPILE_DEFINITIONS "TALLCACHE_CUPTI_FOLDER=\"${CUDAToolkit_LIBRARY_DIR}\"")
  else()
    message(STATUS "CUPTI: no range profiler in this CUDA toolkit; the GPU's counters are not read")
  endif()
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
  set_source_files_properties(gpu/cuda_state.cpp PROPERTIES COMPILE_DEFINITIONS
                              "TALLCACHE_CUDA_ARCHITECTURES=\"${architectures}\"")
  tallcache_add_variants(${target} gpu)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^gpu/.*\\.cpp$|/variants/gpu[^/]*\\.cpp$")
  list(REMOVE_ITEM sources gpu/kernel_text.cpp gpu/widths.cpp gpu/tuning/needs.cpp gpu/tuning/records.cpp gpu/tuning/tuning.cpp)
  list(TRANSFORM CUDAToolkit_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE headers)
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${headers})
endfunction()
