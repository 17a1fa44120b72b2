# tallcache in another project, by add_subdirectory(): the library alone, with no rules to install, and what options add.
#   cmake -DSOURCE=<the project> -DWORK=<scratch folder> -DCXX=<compiler> -DGENERATOR=<generator> -P subproject.cmake
# configures(<targets that are there, and others> <options>...)
function(configures result)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES CXX)\n"
       "add_subdirectory(${SOURCE} tallcache)\n"
       "foreach(target tallcache::tallcache tallcache::blas tallcache_command unit_test)\n"
       "  if(TARGET \${target})\n    message(NOTICE \"target \${target}\")\n  endif()\nendforeach()\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
                          -DTALLCACHE_CUDA=OFF -DTALLCACHE_MPI=OFF ${ARGN}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} "${failed} ${text}" PARENT_SCOPE)
endfunction()

configures(text)
if(NOT text MATCHES "^0 .*target tallcache::tallcache\n" OR text MATCHES "target tallcache::blas|_command|_test")
  message(FATAL_ERROR "not the library alone: ${text}")
endif()
set(rules ${WORK}/build/tallcache/cmake_install.cmake)
file(READ ${rules} installed)
if(installed MATCHES "file\\(INSTALL|libtallcache")
  message(FATAL_ERROR "a subproject is installed: ${installed}")
endif()

configures(text -DTALLCACHE_BLAS=ON -DTALLCACHE_INSTALL=ON)
file(READ ${rules} installed)
if(NOT text MATCHES "^0 .*target tallcache::blas\n" OR NOT installed MATCHES "libtallcache_blas")
  message(FATAL_ERROR "not what its options ask for: ${text}")
endif()
configures(text -DTALLCACHE_TESTS=ON)
if(text MATCHES "^0 " OR NOT text MATCHES "TALLCACHE_TESTS needs TALLCACHE_BLAS and TALLCACHE_INSTALL")
  message(FATAL_ERROR "tests without what they test: ${text}")
endif()
