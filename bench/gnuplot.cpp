#include "bench/gnuplot.hpp"

#include <cstdio>
#include <cstdlib>

#include "common/error.hpp"

namespace tallcache {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

void require_gnuplot() {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0)
    throw Error("--svg needs gnuplot, which is not installed (Debian and Ubuntu: gnuplot-nox)");
}

void draw(const std::string& script, const std::string& file) {
  require_gnuplot();
  FILE* pipe = popen("gnuplot 2>/dev/null", "w");
  const bool written = pipe && std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  if ((pipe ? pclose(pipe) : -1) != 0 || !written) throw Error("gnuplot failed to draw " + file);
}

}  // namespace tallcache
