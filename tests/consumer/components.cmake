# What find_package(tallcache COMPONENTS ...) finds and says, quietly or not.
#   cmake -DPREFIX=<installed> -DWORK=<scratch folder> -DCXX=<compiler> -DGENERATOR=<generator> -P components.cmake
# configures(<output> <result> <argument of find_package>...): a project that calls it so, and says what it found.
function(configures output result)
  file(REMOVE_RECURSE ${WORK})
  list(JOIN ARGN " " arguments)
  file(WRITE ${WORK}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(components LANGUAGES C CXX)\n"
       "find_package(tallcache ${arguments})\nforeach(target tallcache mpi papi blas blas64)\n"
       "  if(TARGET tallcache::\${target})\n    message(NOTICE \"target \${target}\")\n  endif()\nendforeach()\n"
       "message(NOTICE \"found \${tallcache_FOUND}\")\nget_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)\n"
       "message(NOTICE \"imported \${targets}\")\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
                          -DCMAKE_CXX_COMPILER=${CXX} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${output} "${text}" PARENT_SCOPE)
  set(${result} "${failed}" PARENT_SCOPE)
endfunction()
function(require what text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: no '${pattern}' in ${text}")
  endif()
endfunction()
function(refuse what text pattern)
  if(text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: '${pattern}' in ${text}")
  endif()
endfunction()

configures(text failed REQUIRED)
require("no component" "${failed}" "^0$")
require("no component" "${text}" "target tallcache\n")
require("no component" "${text}" "target blas64\n")

# The shared library alone: neither oneTBB nor anything else is looked for.
configures(text failed REQUIRED COMPONENTS blas)
require("blas" "${failed}" "^0$")
require("blas" "${text}" "target blas\n.*found (1|TRUE)")
refuse("blas" "${text}" "target tallcache\n")
refuse("blas" "${text}" "TBB::tbb")

# What is not asked for is not looked for.
configures(text failed REQUIRED COMPONENTS blas mpi OPTIONAL_COMPONENTS gpu)
refuse("blas and mpi" "${text}" "target papi\n")

# One that does not exist is refused, named, with those that do; optional or quiet it is no error.
configures(text failed REQUIRED COMPONENTS mpii)
refuse("mpii" "${failed}" "^0$")
require("mpii" "${text}" "no component 'mpii'; it has: mpi, papi, gpu, blas")
configures(text failed QUIET COMPONENTS mpii)
require("quiet" "${failed}" "^0$")
require("quiet" "${text}" "found (0|FALSE)")
refuse("quiet" "${text}" "mpii|Warning|Checking for module|Found")
configures(text failed QUIET)
refuse("quiet, all of it" "${text}" "Checking for module|Warning|-- Found [^T]")  # FindCUDAToolkit looks for Threads aloud
