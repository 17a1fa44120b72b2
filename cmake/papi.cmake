# PAPI is optional, and for the programs and tests alone: with it there are two libraries, tallcache_sde (the simulated
# events, shared, so that PAPI's own tools can load it) and tallcache_papi (the counting interface).
pkg_check_modules(PAPI IMPORTED_TARGET papi)
find_library(SDE_LIBRARY sde)
if(NOT PAPI_FOUND OR NOT SDE_LIBRARY)
  message(STATUS "PAPI with libsde not found: no counters (Debian and Ubuntu: libpapi-dev)")
  return()
endif()

add_library(tallcache_sde SHARED common/papi/simulated.cpp)
set_target_properties(tallcache_sde PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_compile_features(tallcache_sde PUBLIC cxx_std_20)
target_include_directories(tallcache_sde PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>
                                                $<INSTALL_INTERFACE:include>)
# A build folder that was copied elsewhere still finds it.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
# PAPI looks libsde up in the global scope: whatever links tallcache_sde gets it there.
target_link_libraries(tallcache_sde PRIVATE ${SDE_LIBRARY})

add_library(tallcache_papi STATIC common/papi/arena_counts.cpp common/papi/counting.cpp
                                  common/papi/event_set.cpp common/papi/events.cpp common/papi/source.cpp)
target_link_libraries(tallcache_papi PUBLIC tallcache_sde tallcache PRIVATE PkgConfig::PAPI fmt::fmt)

add_executable(read_misses bench/examples/read_misses.cpp)
target_link_libraries(read_misses PRIVATE tallcache::tallcache tallcache_sde PkgConfig::PAPI)
