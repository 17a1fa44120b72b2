// The code of a C++ source, as two texts of it are compared.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "bench/results/stale.hpp"

namespace tallcache {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::string code() {
    while (at_ < text_.size()) step();
    if (in_directive_) code_ += '\n';
    return std::move(code_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  // Behind the next `what`, or at the end of the text.
  std::size_t behind(std::string_view what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == text_.npos ? text_.size() : found + what.size();
  }

  void step() {
    const char c = text_[at_];
    if (starts("\\\n")) {
      at_ += 2, blank_ = true;
    } else if (starts("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (starts("/*")) {
      at_ = behind("*/", at_ + 2), blank_ = true;
    } else if (c == '\n') {
      end_line();
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_, blank_ = true;
    } else {
      token(c);
    }
  }

  void end_line() {
    if (in_directive_) code_ += '\n', blank_ = false;
    in_directive_ = false;
    line_begins_ = blank_ = true;
    ++at_;
  }

  void token(char c) {
    if (c == '#' && line_begins_) {
      if (!code_.empty() && code_.back() != '\n') code_ += '\n';
      in_directive_ = true;
    }
    line_begins_ = false;
    constexpr std::string_view opens = "([{,;\n", closes = ")]},;";
    // A directive's blanks are kept: #define f (x) is no #define f(x).
    const bool needless = !in_directive_ && (opens.find(code_.empty() ? '\n' : code_.back()) != opens.npos ||
                                             closes.find(c) != closes.npos);
    if (blank_ && !needless && !code_.empty() && code_.back() != '\n') code_ += ' ';
    blank_ = false;
    const std::size_t begin = at_;
    at_ = end_of(c);
    code_ += text_.substr(begin, at_ - begin);
  }

  // Behind the literal or the character that begins here.
  std::size_t end_of(char c) const {
    const bool follows_word = at_ > 0 && in_word(text_[at_ - 1]);
    if (c == '"' && at_ > 0 && text_[at_ - 1] == 'R') {
      const std::size_t open = text_.find('(', at_);
      if (open == text_.npos) return text_.size();
      return behind(")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"", open);
    }
    // Behind a digit it separates digits: 1'000.
    if (c != '"' && (c != '\'' || follows_word)) return at_ + 1;
    for (std::size_t i = at_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == c) return i + 1;
      if (text_[i] == '\\') ++i;
    }
    return at_ + 1;  // not closed on its line: an apostrophe of a text
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string code_{};
  bool blank_ = false, line_begins_ = true, in_directive_ = false;
};

}  // namespace

std::string code_of(std::string_view text) {
  // Includes of the project's that follow one another are put in order, as the formatter puts them.
  constexpr std::string_view include = "#include \"";
  std::vector<std::string> lines{""};
  for (const char c : Reader(text).code())
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  for (auto begin = lines.begin(); begin != lines.end();) {
    const auto end =
        std::find_if_not(begin, lines.end(), [&](auto& line) { return line.starts_with(include); });
    std::sort(begin, end);
    begin = end == begin ? begin + 1 : end;
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace tallcache
