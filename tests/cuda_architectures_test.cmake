# The default CUDA architectures, with programs in place of nvidia-smi and nvcc.
#   cmake -DSOURCE=<the project> -DWORK=<scratch folder> -P cuda_architectures_test.cmake
include(${SOURCE}/cmake/cuda_architectures.cmake)

function(program path text status)
  file(WRITE ${path} "#!/bin/sh\nprintf '${text}'\nexit ${status}\n")
  file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
program(${WORK}/nvcc "compute_75\\ncompute_80\\ncompute_86\\ncompute_90\\ncompute_100\\ncompute_120\\n" 0)

function(expect expected nvidia_smi)
  tallcache_default_architectures(got ${nvidia_smi} ${WORK}/nvcc)
  if(NOT "${got}" STREQUAL "${expected}")
    message(SEND_ERROR "expected '${expected}', got '${got}'")
  endif()
endfunction()
function(expect_for found status expected)
  program(${WORK}/nvidia-smi "${found}" ${status})
  expect("${expected}" ${WORK}/nvidia-smi)
endfunction()

expect_for("9.0\\n" 0 "90a-real")
expect_for("8.0\\n" 0 "80")
expect_for("8.6\\n9.0\\n8.6\\n" 0 "86;90a-real")
expect_for("10.0\\n12.0\\n" 0 "100;120")
expect_for("[N/A]\\n" 0 "80;90a-real")
expect_for("" 0 "80;90a-real")
expect_for("7.0\\n" 0 "80;90a-real")   # older than nvcc knows
expect_for("11.0\\n" 0 "80;90a-real")  # newer; compute_110 is not in the list
expect_for("9.0\\n" 9 "80;90a-real")   # no driver
expect("80;90a-real" ${WORK}/not-there)
expect("80;90a-real" "nvidia-smi-NOTFOUND")
