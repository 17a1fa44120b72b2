# MPI is optional: with it there is tallcache_mpi, which moves the data of ranks/. Everything else is built, counts and
# simulates without it. No other target links MPI, so that programs start as fast as before.
option(TALLCACHE_MPI "Build tallcache::mpi where MPI is found" ON)
if(TALLCACHE_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(NOT MPI_CXX_FOUND)
  message(STATUS "MPI not found or not wanted: ranks are counted and simulated (Debian and Ubuntu: libopenmpi-dev)")
  return()
endif()

file(GLOB mpi_sources CONFIGURE_DEPENDS ranks/mpi/*.cpp)
add_library(tallcache_mpi STATIC ${mpi_sources})
add_library(tallcache::mpi ALIAS tallcache_mpi)
target_include_directories(tallcache_mpi PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/ranks>)
target_link_libraries(tallcache_mpi PUBLIC tallcache MPI::MPI_CXX PRIVATE ${CMAKE_DL_LIBS})

if(TALLCACHE_PROGRAMS OR TALLCACHE_TESTS)
  add_executable(multiply_block_cyclic bench/examples/multiply_block_cyclic.cpp)
  target_link_libraries(multiply_block_cyclic PRIVATE tallcache::mpi)
endif()
