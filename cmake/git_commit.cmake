# cmake -DSOURCE=<source folder> -DHEADER=<file> -P git_commit.cmake
# Writes the commit that is built into HEADER, which is touched only when it changes. Results are no part of the
# program: measuring does not make it dirty. A tree without its own history is told: TALLCACHE_COMMIT in the environment.
set(commit unknown)
find_program(GIT git)
function(git output)
  execute_process(COMMAND ${GIT} -c "safe.directory=${SOURCE}" ${ARGN} WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE text RESULT_VARIABLE status ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${output} "${text}" PARENT_SCOPE)
  set(status ${status} PARENT_SCOPE)
endfunction()
if(DEFINED ENV{TALLCACHE_COMMIT})
  set(commit $ENV{TALLCACHE_COMMIT})
elseif(GIT)
  git(above rev-parse --show-cdup)  # not empty: an unpacked archive inside somebody else's repository
  if(status EQUAL 0 AND above STREQUAL "")
    git(head rev-parse --short=12 HEAD)
    if(status EQUAL 0)
      set(commit ${head})
      git(changes status --porcelain --untracked-files=no -- . ":(exclude)results")
      if(NOT changes STREQUAL "")
        string(APPEND commit -dirty)
      endif()
    endif()
  endif()
endif()
set(text "// Made by cmake/git_commit.cmake.
#pragma once
namespace tallcache::build_facts {
inline constexpr char commit[] = \"${commit}\";
}
")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE ${HEADER} "${text}")
endif()
