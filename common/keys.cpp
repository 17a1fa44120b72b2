#include "common/keys.hpp"

#include "common/key_inputs.hpp"

namespace tallcache {

Keys::Keys(std::string_view input, std::uint64_t seed, std::uint64_t n, std::uint64_t range)
    : stream_(make_keys(parse_key_input(input), {seed, n, range})) {}

}  // namespace tallcache
