// Two tests compile this file, with an element type that the suite has and with one that it does not have.
#include "common/ops/matmul.hpp"

template struct tallcache::Matmul<ELEMENT>;
