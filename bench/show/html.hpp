// Blocks as HTML.
#pragma once

#include <string>
#include <string_view>

#include "bench/show/blocks.hpp"

namespace tallcache {

/// Charts that follow each other stand side by side; grids are folded behind their captions.
std::string html_of(const Blocks&);

/// `content`, which is HTML, behind its title. `anchor`: of the content, so that a link to it opens it.
std::string folded(std::string_view title, std::string_view anchor, std::string_view content);

/// Whether it stands side by side with others.
bool is_drawing(const Block&);

/// "CPU against GPU" is cpu-against-gpu.
std::string file_name(std::string title);

}  // namespace tallcache
