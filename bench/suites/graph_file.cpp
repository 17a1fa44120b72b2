#include "bench/suites/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "common/measure/executor.hpp"
#include "common/measure/host_memory.hpp"
#include "common/ops/bfs.hpp"

namespace tallcache {
namespace {

constexpr std::string_view blanks = " \t\r";

/// The vertex that `text` begins with, which is taken off it together with the blanks before it.
std::uint32_t take_vertex(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  std::uint32_t vertex = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), vertex);
  if (error == std::errc::result_out_of_range) throw Error(fmt::format("vertex {} is too large", word));
  if (word.empty() || error != std::errc{} || end != word.data() + word.size())
    throw Error(fmt::format("'{}' where the number of a vertex should be", word));
  require_graph_size(std::size_t{vertex} + 1, 0);
  text.remove_prefix(word.size());
  return vertex;
}

/// Offsets up to that of vertex size - 1; what is new is `edges`. One edge of a large number needs a lot
/// of them.
void grow(std::vector<std::uint32_t>& offset, std::size_t size, std::size_t edges) {
  if (size > offset.capacity())
    require_memory(size * sizeof(std::uint32_t), fmt::format("a graph of {} vertices", size - 1));
  offset.resize(size, static_cast<std::uint32_t>(edges));
}

}  // namespace

GraphFile read_graph(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("cannot read {}", path));
  GraphFile graph;
  std::uint32_t last = 0, largest = 0;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::string_view text = line;
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos || text[first] == '#' || text[first] == '%') continue;
    try {
      const std::uint32_t from = take_vertex(text), to = take_vertex(text);
      if (text.find_first_not_of(blanks) != text.npos)
        throw Error(fmt::format("'{}' behind the two vertices of an edge",
                                text.substr(text.find_first_not_of(blanks))));
      if (from < last)
        throw Error(fmt::format("not sorted: an edge from vertex {} behind one from vertex {}", from, last));
      require_graph_size(0, graph.target.size() + 1);
      last = from;
      largest = std::max({largest, from, to});
      if (graph.offset.size() <= from) grow(graph.offset, std::size_t{from} + 1, graph.target.size());
      graph.target.push_back(to);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (file.bad()) throw Error(fmt::format("cannot read {} to its end", path));
  if (graph.target.empty()) throw Error(fmt::format("{}: no edges", path));
  grow(graph.offset, std::size_t{largest} + 2, graph.target.size());
  return graph;
}

}  // namespace tallcache
