# Installs a build into a fresh prefix, and builds and runs the projects beside this file and in examples/ against it.
# The C++ in the project's pages is the files there, to the letter.
#   cmake -DBUILD=<build folder> -DSOURCE=<this folder> -DWORK=<scratch folder> -DCONFIG=<build type> -DCXX=<compiler>
#         -DFLAGS=<flags> -DGENERATOR=<generator> -DROOT=<the project> -P test.cmake
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${failed}")
  endif()
endfunction()

# The block of C++ in a page is the file.
function(require_block page file)
  file(READ ${page} text)
  file(READ ${file} wanted)
  string(FIND "${text}" "```cpp\n${wanted}```\n" found)
  string(REGEX MATCHALL "```cpp\n" blocks "${text}")
  list(LENGTH blocks count)
  if(found EQUAL -1 OR NOT count EQUAL 1)
    message(FATAL_ERROR "${page} has ${count} blocks of C++; ${file} is to be the only one")
  endif()
endfunction()
require_block(${ROOT}/README.md ${ROOT}/examples/product.cpp)
require_block(${ROOT}/CONTRIBUTING.md ${SOURCE}/by_pairs.hpp)

# An example is to be read at a glance.
file(GLOB examples ${ROOT}/examples/*.cpp)
foreach(example IN LISTS examples)
  file(READ ${example} text)
  string(REGEX MATCHALL "\n" lines "${text}")
  list(LENGTH lines count)
  if(count GREATER 30)
    message(FATAL_ERROR "${example} has ${count} lines, more than 30")
  endif()
endforeach()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --config ${CONFIG})
# Only what is meant for users stands beside detail/, and README.md names it.
file(READ ${ROOT}/README.md readme)
file(GLOB public RELATIVE ${WORK}/prefix/include/tallcache ${WORK}/prefix/include/tallcache/*)
foreach(name IN LISTS public)
  if(NOT name MATCHES
     "^(catalogue|convolution|count|device_convolution|device_fft|device_solve|device_sort|device_stencil|edit_distance|factor|fft|fork|kernel|matmul|measure|mpi|paths|qr|ranks|solve|sort|stencil|trace|transpose)\\.hpp$|^tallcache_blas\\.h$|^detail$")
    message(FATAL_ERROR "installed, and no public header: ${name}")
  endif()
  string(REPLACE ".hpp" "" module ${name})
  if(name MATCHES "hpp$" AND NOT readme MATCHES "The headers are [^.]*`${module}`")
    message(FATAL_ERROR "README.md does not name the header ${name}")
  endif()
endforeach()
# Nothing is timed here: gcc takes two thirds of the time at -O1.
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${CONFIG}
    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})
foreach(program variant everything)
  run(${WORK}/build/${program})
endforeach()

# The examples, by the very command that a comment gives.
file(COPY ${ROOT}/examples DESTINATION ${WORK})
file(STRINGS ${ROOT}/examples/CMakeLists.txt command REGEX "^#   cmake ")
string(REGEX REPLACE "^# +" "" command "${command}")
string(REPLACE "PATH=PREFIX" "PATH='${WORK}/prefix'" command "${command}")
set(ENV{CXX} ${CXX})
set(ENV{CXXFLAGS} "${FLAGS}")
set(ENV{CMAKE_GENERATOR} ${GENERATOR})
run(sh -c "cd '${WORK}' && ${command}")
set(built ${WORK}/build/examples)
foreach(program product forks kernel convolution integers stencil)
  run(${built}/${program})
endforeach()
execute_process(COMMAND ${built}/timed OUTPUT_VARIABLE times RESULT_VARIABLE failed)
if(failed OR NOT times MATCHES "mine: [-+.e0-9]+.*naive: [-+.e0-9]+")
  message(FATAL_ERROR "timed: ${failed} ${times}")
endif()
if(EXISTS ${WORK}/build/block_cyclic)
  run(${SOURCE}/../mpi/run.sh mpirun 4 ${WORK}/build/block_cyclic)
endif()
if(EXISTS ${WORK}/build/counts)
  run(${WORK}/build/counts)
  run(${built}/misses)
endif()

run(${CMAKE_COMMAND} -DPREFIX=${WORK}/prefix -DWORK=${WORK}/components -DCXX=${CXX} -DGENERATOR=${GENERATOR}
    -P ${SOURCE}/components.cmake)
