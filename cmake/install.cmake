# What is installed: the library, its public headers as <tallcache/...>, and what these need below
# tallcache/detail. Headers name each other from the root of the source tree; installed ones name each other by
# relative paths, so that a prefix adds one folder to a user's include path and takes no name from them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(header_roots common cpu)
if(TALLCACHE_HAS_CUDA)
  list(APPEND header_roots gpu)
endif()
set(installed_headers ${CMAKE_CURRENT_BINARY_DIR}/installed_headers)
file(REMOVE_RECURSE ${installed_headers})
foreach(root IN LISTS header_roots)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${root}/*.hpp ${root}/*.cuh)
  if(NOT TARGET tallcache_papi)
    list(FILTER headers EXCLUDE REGEX "^common/papi/|/tallcache/count.hpp$")
  endif()
  foreach(header IN LISTS headers)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    if(header MATCHES "^[a-z]+/tallcache/(.*)$")
      set(to ${CMAKE_MATCH_1})
      set(up detail/)
    else()
      set(to detail/${header})
      string(REGEX REPLACE "[^/]+$" "" folder ${header})
      string(REGEX REPLACE "[^/]+/" "../" up ${folder})
    endif()
    string(REGEX REPLACE "#include \"((common|cpu|gpu)/[^\"]+)\"" "#include \"${up}\\1\"" text "${text}")
    file(WRITE ${installed_headers}/${to} "${text}")
  endforeach()
endforeach()
install(DIRECTORY ${installed_headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tallcache COMPONENT development)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tallcache)
set(installed_targets tallcache)
set(TALLCACHE_HAS_PAPI OFF)
if(TARGET tallcache_papi)
  set(TALLCACHE_HAS_PAPI ON)
  set_target_properties(tallcache_papi PROPERTIES EXPORT_NAME papi)
  set_target_properties(tallcache_sde PROPERTIES EXPORT_NAME sde)
  list(APPEND installed_targets tallcache_papi tallcache_sde)
endif()
# Shared libraries are one package, what a compiler needs another, the program a third: cmake/package.cmake.
set(library_components LIBRARY COMPONENT libraries NAMELINK_COMPONENT development ARCHIVE COMPONENT development)
install(TARGETS ${installed_targets} EXPORT tallcacheTargets ${library_components})
install(EXPORT tallcacheTargets NAMESPACE tallcache:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/tallcacheConfig.cmake.in tallcacheConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(tallcacheConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tallcacheConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tallcacheConfigVersion.cmake DESTINATION ${package_dir}
        COMPONENT development)

# The drop-in BLAS.
install(TARGETS tallcache_blas tallcache_blas64 ${library_components})
install(FILES blas/tallcache_blas.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tallcache COMPONENT development)

# For builds without CMake: pkg-config --cflags --libs tallcache. A static library needs what it is made of, too.
file(RELATIVE_PATH PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(tallcache_add_pc NAME DESCRIPTION REQUIRES LIBS)
  string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
  configure_file(cmake/pkgconfig.pc.in ${NAME}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endfunction()
set(libs "-ltallcache -pthread -ldl")
if(TALLCACHE_HAS_CUDA)
  string(APPEND libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt")
endif()
tallcache_add_pc(tallcache "${PROJECT_DESCRIPTION}" "tbb hwloc libhwy libhwy-contrib fmt" "${libs}")
if(TARGET tallcache_papi)
  tallcache_add_pc(tallcache_papi "Counting through PAPI, of tallcache" "tallcache papi"
                   "-ltallcache_papi -ltallcache_sde -ltallcache")
endif()
tallcache_add_pc(tallcache_blas "Products of a BLAS, by tallcache" "" "-ltallcache_blas")
tallcache_add_pc(tallcache_blas64 "Products of a BLAS with 64-bit integers, by tallcache" "" "-ltallcache_blas64")

# The program.
if(TARGET tallcache_command)
  set_target_properties(tallcache_command PROPERTIES INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS tallcache_command RUNTIME COMPONENT program)
endif()
