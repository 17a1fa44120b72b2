# The CUDA architectures to build for where the user names none.
#   tallcache_default_architectures(<result> <nvidia-smi> <nvcc>)
# Those of the GPUs that nvidia-smi finds and nvcc knows. 9.0 is 90a, which has instructions that 90 lacks (CMake's own
# `native` gives 90) and whose PTX no other GPU takes. Without any, 80, whose PTX the driver of a later GPU compiles,
# and 90a.
function(tallcache_default_architectures result nvidia_smi nvcc)
  execute_process(COMMAND ${nvidia_smi} --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  set(architectures "")
  if(failed EQUAL 0)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${found}")
    foreach(capability IN LISTS capabilities)
      string(REPLACE "." "" architecture ${capability})
      if(known MATCHES "compute_${architecture}[^0-9]")
        list(APPEND architectures ${architecture})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES architectures)
  endif()
  if(NOT architectures)
    set(architectures 80 90)
  endif()
  list(TRANSFORM architectures REPLACE "^90$" "90a-real")
  set(${result} ${architectures} PARENT_SCOPE)
endfunction()
