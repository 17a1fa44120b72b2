// A document of any kind as CSV (RFC 4180), for a spreadsheet or a data frame.
#pragma once

#include <string>

#include "bench/results/document.hpp"

namespace tallcache {

/// The names of the columns, as a line.
std::string csv_header();

/// A line for each quantity of each record, the limits first, and for each point of a curve; a line without a
/// quantity for a record that has none. Lines end with CR LF.
std::string csv_lines(const Document&);

}  // namespace tallcache
