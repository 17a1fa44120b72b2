// Reversing a vector.
#include "bench/suites/suite.hpp"

namespace tallcache {

extern const Suite reverse_suite;
const Suite reverse_suite{.operation = "reverse",
                          .steps = {{.element = "float",
                                     .unit = "element",
                                     .min_bytes = 8,
                                     .limit = "the bandwidth",
                                     .shape = {{"n", 10000000}},
                                     .smoke = {{"n", 1000}},
                                     .steps = {{.label = "a loop", .variant = "loop", .bytes = 8}}}}};

}  // namespace tallcache
