// The files of bench/show/page, as they were when the program was built.
#pragma once

namespace tallcache {

extern const char* const page_html;
extern const char* const page_css;
extern const char* const page_js;
extern const char* const chart_css;  ///< of a chart, in a page or in a file of its own

}  // namespace tallcache
