# Flags of the textbook variants: scalar loops, in the order in which the slides write them. At -O3 gcc 12 vectorises the
# innermost loops of i-k-j (1.46 times as fast at n = 512) and of REC-MULT's leaf (1.8 times), but not those of the naive
# and the transposed product, so that a table of locality would show vector width. Interchange, unroll-and-jam and
# distribution are off because each undoes the loop order that a variant is there to show; today aliasing keeps gcc from
# interchanging these loops, which is luck.
set(TALLCACHE_TEXTBOOK_FLAGS -O2)
if(TALLCACHE_SANITIZE)
  set(TALLCACHE_TEXTBOOK_FLAGS -O1)  # nothing is measured there, and gcc takes half the time
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND TALLCACHE_TEXTBOOK_FLAGS -fno-tree-vectorize -fno-loop-interchange -fno-loop-unroll-and-jam
       -fno-tree-loop-distribution -fno-tree-loop-distribute-patterns)
else()
  list(APPEND TALLCACHE_TEXTBOOK_FLAGS -fno-vectorize -fno-slp-vectorize -fno-unroll-loops)
endif()
