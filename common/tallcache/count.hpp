// Counting through PAPI: hardware events where the processor has any, and simulated events that a cache model
// feeds. Requires tallcache::papi, which exists where tallcache was built with PAPI.
#pragma once

#include "common/papi/counting.hpp"
#include "common/papi/simulated.hpp"
