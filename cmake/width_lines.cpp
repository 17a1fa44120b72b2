// The lines of this tree that the rows of gpu/widths.def are of: a row names a line by its text.
//   width_lines ROOT OUT   writes OUT for gpu/widths.cpp, and OUT.d, which names the texts that it read
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// A line without its comment and the blanks around it, as bench/widths has it.
std::string code_of(const std::string& line) {
  const std::string code = line.substr(0, line.find("//"));
  const std::size_t first = code.find_first_not_of(" \t");
  return first == code.npos ? "" : code.substr(first, code.find_last_not_of(" \t\r") + 1 - first);
}

using Lines = std::map<std::string, std::vector<int>>;  ///< the numbers of the lines of a text, ascending

Lines lines_of(const std::string& path) {
  std::ifstream file(path);
  Lines lines;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) lines[code_of(line)].push_back(number);
  return lines;
}

}  // namespace

int main(int, char** argv) {
  const std::string root = argv[1], out_path = argv[2];
  std::map<std::string, Lines> files;
  std::ifstream table(root + "/gpu/widths.def");
  std::ofstream out(out_path);
  std::string line, kernel;
  while (std::getline(table, line)) {
    if (line.starts_with("compiler ")) out << "TALLCACHE_WIDTHS_OF" << line.substr(9) << '\n';
    if (line.starts_with("kernel ")) kernel = line.substr(7);
    if (!line.starts_with("  ")) continue;
    std::istringstream row(line);
    std::string file, space, kind, widths, text;
    std::size_t number;
    row >> file >> space >> kind >> widths >> number >> std::ws;
    std::getline(row, text);
    const auto known = files.try_emplace(file);
    Lines& lines = known.first->second;
    if (known.second) lines = lines_of(root + '/' + file);
    const std::vector<int>& places = lines[text];
    if (number > places.size()) continue;  // of another text: bench/widths --check tells
    out << "TALLCACHE_WIDTHS(\"" << kernel << "\", \"" << file << "\", " << places[number - 1] << ", "
        << space << ", " << kind << ", " << widths << ")\n";
  }
  std::ofstream depends(out_path + ".d");
  depends << out_path << ": " << root << "/gpu/widths.def";
  for (const auto& [file, lines] : files) depends << ' ' << root << '/' << file;
  depends << '\n';
  out.close();
  if (out.good() && depends.good()) return 0;
  std::cerr << "width_lines: cannot write " << out_path << '\n';
  return 1;
}
