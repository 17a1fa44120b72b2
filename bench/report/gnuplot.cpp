#include "bench/report/gnuplot.hpp"

#include <cstdio>
#include <cstdlib>

#include "common/error.hpp"

namespace tallcache {
namespace {

// The enhanced mode of gnuplot is off, as it would take the underscores of names for subscripts.
constexpr const char* style =
    "set terminal svg size 1000,640 noenhanced font 'Helvetica,14' background '#ffffff'\n"
    "set border 3 lc rgb '#808080'\nset tics nomirror tc rgb '#303030'\n"
    "set grid ytics lc rgb '#e4e4e4' lw 1\n"
    "set key outside right center samplen 2 spacing 1.15 noopaque\n";

}  // namespace

void require_gnuplot() {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
    throw Error("--svg needs gnuplot, which is not installed (Debian and Ubuntu: gnuplot-nox)");
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

void draw(const std::string& file, const std::string& script) {
  require_gnuplot();
  const std::string text = style + ("set output " + quoted(file)) + "\n" + script;
  FILE* pipe = popen("gnuplot 2>/dev/null", "w");
  const bool written = pipe && std::fwrite(text.data(), 1, text.size(), pipe) == text.size();
  if ((pipe ? pclose(pipe) : -1) != 0 || !written) throw Error("gnuplot failed to draw " + file);
}

}  // namespace tallcache
