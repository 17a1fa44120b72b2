#include "bench/show/gnuplot.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "bench/results/output_file.hpp"
#include "common/error.hpp"

namespace tallcache {
namespace {

// The enhanced mode of gnuplot is off, as it would take the underscores of names for subscripts.
constexpr const char* style =
    "set terminal svg size 1000,640 noenhanced font 'Helvetica,14' background '#ffffff'\n"
    "set border 3 lc rgb '#808080'\nset tics nomirror tc rgb '#303030'\n"
    "set grid ytics lc rgb '#e4e4e4' lw 1\n"
    "set key outside right center samplen 2 spacing 1.15 noopaque\n";

// The SVG that gnuplot makes of a script, which it reads from memory: with a pipe each way the two might wait
// for each other.
std::string drawn(const std::string& script, const std::string& file) {
  FILE* const memory = fdopen(memfd_create("gnuplot", 0), "w");
  if (!memory || std::fputs(script.c_str(), memory) < 0 || std::fflush(memory) != 0)
    throw Error("no memory for gnuplot's script of " + file);
  FILE* const pipe =
      popen(fmt::format("gnuplot 2>/dev/null </proc/self/fd/{}", fileno(memory)).c_str(), "re");
  std::string svg;
  std::array<char, 1 << 16> part;
  for (std::size_t got; pipe && (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    svg.append(part.data(), got);
  std::fclose(memory);
  if ((pipe ? pclose(pipe) : -1) != 0 || svg.empty()) throw Error("gnuplot failed to draw " + file);
  return svg;
}

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
  write_text(file, drawn(style + script, file));
}

}  // namespace tallcache
