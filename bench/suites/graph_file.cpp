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
constexpr std::size_t lines_between_progress = std::size_t{1} << 20;

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

/// The number that `text` begins with, which is taken off it together with the blanks before it.
std::uint32_t take_number(std::string_view& text, std::string_view of) {
  const std::string_view word = take_word(text);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc::result_out_of_range)
    throw Error(fmt::format("{} is too large for the number of {}", word, of));
  if (word.empty() || error != std::errc{} || end != word.data() + word.size())
    throw Error(fmt::format("'{}' where the number of {} should be", word, of));
  return number;
}

void expect_end(std::string_view text, std::string_view behind) {
  const std::size_t rest = text.find_first_not_of(blanks);
  if (rest != text.npos) throw Error(fmt::format("'{}' behind {}", text.substr(rest), behind));
}

bool is_comment(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos || text[first] == '#' || text[first] == '%';
}

class GraphReader {
 public:
  GraphReader(const std::string& path, const ReadProgress& progress)
      : path_(path), progress_(progress), file_(path) {
    if (!file_) throw Error(fmt::format("cannot read {}", path));
  }

  GraphFile read() {
    for (std::string line; std::getline(file_, line);) {
      bytes_ += line.size() + 1;
      if (++number_ % lines_between_progress == 0 && progress_) progress_(bytes_);
      try {
        take_line(line);
      } catch (const Error& error) {
        throw Error(fmt::format("{}:{}: {}", path_, number_, error.what()));
      }
    }
    if (file_.bad()) throw Error(fmt::format("cannot read {} to its end", path_));
    if (entries_left_ > 0)
      throw Error(fmt::format("{}: {} entries fewer than its sizes say", path_, entries_left_));
    if (edges_.empty()) throw Error(fmt::format("{}: no edges", path_));
    return built();
  }

 private:
  enum class Form { edges, matrix_sizes, matrix };

  void take_line(std::string_view text) {
    if (number_ == 1 && text.starts_with("%%MatrixMarket")) return take_banner(text);
    if (is_comment(text)) return;
    switch (form_) {
      case Form::edges: {
        const std::uint32_t from = take_number(text, "a vertex"), to = take_number(text, "a vertex");
        expect_end(text, "the two vertices of an edge");
        return add({from, to});
      }
      case Form::matrix_sizes:
        return take_sizes(text);
      case Form::matrix:
        return take_entry(text);
    }
  }

  void take_banner(std::string_view text) {
    take_word(text);
    const std::string_view object = take_word(text), format = take_word(text);
    take_word(text);  // what the values are
    const std::string_view symmetry = take_word(text);
    if (object != "matrix" || format != "coordinate")
      throw Error(fmt::format("a Matrix Market file of '{} {}' is no graph: 'matrix coordinate' is one",
                              object, format));
    form_ = Form::matrix_sizes;
    both_ways_ = symmetry != "general";
  }

  void take_sizes(std::string_view text) {
    const std::uint32_t rows = take_number(text, "the rows"), cols = take_number(text, "the columns");
    entries_left_ = take_number(text, "the entries");
    expect_end(text, "the three sizes of a matrix");
    vertices_ = std::max(rows, cols);
    require_graph_size(vertices_, 0);
    form_ = Form::matrix;
  }

  /// Values may follow.
  void take_entry(std::string_view text) {
    const std::uint32_t row = take_number(text, "a row"), col = take_number(text, "a column");
    if (row < 1 || col < 1 || row > vertices_ || col > vertices_)
      throw Error(fmt::format("entry ({}, {}) of a matrix of {} rows", row, col, vertices_));
    if (entries_left_ == 0) throw Error("an entry more than its sizes say");
    --entries_left_;
    add({row - 1, col - 1});
    if (both_ways_ && row != col) add({col - 1, row - 1});
  }

  void add(Edges::Edge edge) {
    const std::size_t size = std::size_t{std::max(edge.first, edge.second)} + 1;
    require_graph_size(size, edges_.size() + 1);
    vertices_ = std::max(vertices_, size);
    // An edge of a large number needs a lot of offsets.
    if (edges_.size() == edges_.capacity())
      require_memory(2 * (2 * edges_.size() * sizeof(Edges::Edge) + vertices_ * sizeof(std::uint32_t)),
                     fmt::format("a graph of {} vertices", vertices_));
    edges_.push_back(edge);
  }

  GraphFile built() const {
    require_memory((vertices_ + edges_.size()) * sizeof(std::uint32_t),
                   fmt::format("a graph of {} vertices", vertices_));
    GraphFile graph{std::vector<std::uint32_t>(vertices_ + 1), std::vector<std::uint32_t>(edges_.size())};
    build_graph(
        static_cast<Index>(vertices_), static_cast<Index>(edges_.size()),
        [&](Index e) { return edges_[static_cast<std::size_t>(e)]; }, graph.offset.data(),
        graph.target.data());
    return graph;
  }

  const std::string& path_;
  const ReadProgress& progress_;
  std::ifstream file_;
  std::size_t number_ = 0, vertices_ = 0, entries_left_ = 0;
  std::uint64_t bytes_ = 0;
  Form form_ = Form::edges;
  bool both_ways_ = false;
  std::vector<Edges::Edge> edges_;
};

}  // namespace

GraphFile read_graph(const std::string& path, const ReadProgress& progress) {
  return GraphReader(path, progress).read();
}

}  // namespace tallcache
