// Compiled by two tests, with an element type that the suite knows and with one that it does not.
#include "common/ops/matmul.hpp"

template struct tallcache::Matmul<ELEMENT>;
