// The files of bench/show/page, as they were when the program was built.
#pragma once

namespace tallcache {

extern const char* const page_html;
extern const char* const page_css;
extern const char* const page_js;
extern const char* const d3_min_js;        ///< d3 (ISC licence): page/vendor
extern const char* const plot_umd_min_js;  ///< Observable Plot (ISC licence): page/vendor
extern const char* const page_licences;    ///< of these two

}  // namespace tallcache
