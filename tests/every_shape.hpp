// The committed list of how many test shapes each variant on the CPU runs, tests/every_shape.txt: a line is
// "OPERATION ELEMENT VARIANT SHAPES". It says what a change of an operation's shapes, or of what a variant
// supports, does to the tests. A variant of this build without a line runs all shapes of its operation.
#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "common/catalogue.hpp"

namespace tallcache::test {

struct EveryShapeLine {
  int number = 0;  ///< in the file
  std::size_t shapes = 0;
};

/// "matmul double tiled".
inline std::string every_shape_name(const Variant& variant) {
  std::string name(variant.operation->name);
  for (std::string_view part : {variant.operation->element, variant.name}) name.append(1, ' ').append(part);
  return name;
}

/// The lines of the file, by name. A line that cannot be read has the name of its text.
inline std::map<std::string, EveryShapeLine> every_shape_lines(const std::string& path) {
  std::map<std::string, EveryShapeLine> lines;
  std::ifstream file(path);
  std::string text, operation, element, variant;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.starts_with('#')) continue;
    EveryShapeLine line{number};
    std::istringstream words(text);
    const bool is_read = words >> operation >> element >> variant >> line.shapes && (words >> std::ws).eof();
    lines[is_read ? operation + ' ' + element + ' ' + variant : text] = line;
  }
  return lines;
}

/// The number of the operation's test shapes that the variant supports.
inline std::size_t supported_shapes(const Variant& variant) {
  std::size_t count = 0;
  for (const Shape& shape : variant.operation->test_shapes())
    count += variant.supports(complete_shape(*variant.operation, shape));
  return count;
}

/// What differs where the variant ran on `ran` of `all` shapes, as a line of the file that should be another;
/// empty where nothing does.
inline std::string every_shape_difference(const std::map<std::string, EveryShapeLine>& lines,
                                          const Variant& variant, std::size_t ran, std::size_t all) {
  const std::string name = every_shape_name(variant);
  const auto found = lines.find(name);
  const std::size_t wanted = found == lines.end() ? all : found->second.shapes;
  if (ran == wanted) return "";
  const std::string place = found == lines.end() ? "" : ":" + std::to_string(found->second.number);
  return "tests/every_shape.txt" + place + "\n- " +
         (found == lines.end() ? "(no line: all shapes, " + std::to_string(all) + ")"
                               : name + ' ' + std::to_string(wanted)) +
         "\n+ " + name + ' ' + std::to_string(ran);
}

/// Writes the file anew, its comment as it was.
inline void write_every_shape(const std::string& path) {
  std::ifstream old(path);
  std::string text, comment;
  while (std::getline(old, text) && text.starts_with('#')) comment += text + '\n';
  old.close();
  std::ofstream file(path);
  file << comment;
  for (const Variant* variant : variants())
    if (variant->backend == "cpu")
      file << every_shape_name(*variant) << ' ' << supported_shapes(*variant) << '\n';
}

}  // namespace tallcache::test
