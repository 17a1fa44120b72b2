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
      set(CMAKE_CUDA_ARCHITECTURES 90a)
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
message(STATUS "CUDA: ${TALLCACHE_HAS_CUDA} ${CMAKE_CUDA_COMPILER_VERSION}")

# The GPU's part of the library: the executor, and a translation unit for each line of gpu/variants.def.
function(tallcache_add_gpu target)
  target_sources(${target} PRIVATE gpu/check.cpp gpu/cuda_executor.cpp gpu/cuda_state.cpp gpu/limits.cu gpu/probe.cu gpu/scan.cu
                                   gpu/peers/cublas_library.cpp)
  # fmt 9's consteval checks do not compile with nvcc in C++20, so text is made in .cpp files.
  # Views are constexpr, and kernels use them. 554: a conversion to itself, which a constraint rules out; 20208:
  # long double, in checks that only the host runs.
  target_compile_options(${target} PRIVATE
                         "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-diag-suppress=554,20208>")
  if(TALLCACHE_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
  target_compile_definitions(${target} PUBLIC $<BUILD_INTERFACE:TALLCACHE_HAS_CUDA=1>)
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  # cuBLAS is loaded when it is first used: this is where to look behind the loader's own folders.
  set_source_files_properties(gpu/peers/cublas_library.cpp PROPERTIES COMPILE_DEFINITIONS
                              "TALLCACHE_CUBLAS_FOLDER=\"${CUDAToolkit_LIBRARY_DIR}\"")
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
  set_source_files_properties(gpu/cuda_state.cpp PROPERTIES COMPILE_DEFINITIONS
                              "TALLCACHE_CUDA_ARCHITECTURES=\"${architectures}\"")
  tallcache_add_variants(${target} gpu)
endfunction()
