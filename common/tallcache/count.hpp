// Counting through PAPI: hardware events where the processor shows any, and the simulated events that a cache
// model feeds. Needs tallcache::papi, which is there where tallcache was built with PAPI.
#pragma once

#include "common/papi/counting.hpp"
#include "common/papi/simulated.hpp"
