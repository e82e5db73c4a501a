#include "tests/tidy/source.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace berglite::tidy {

namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Goes through a file once. Each Take function consumes one kind of piece.
class Lexer {
 public:
  explicit Lexer(Source& source) : source_(source), text_(source.text) {}

  void Run() {
    source_.code = source_.text;
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        TakeComment(text_.find('\n', at_));
      } else if (text_.substr(at_, 2) == "/*") {
        const size_t end = text_.find("*/", at_ + 2);
        TakeComment(end == std::string_view::npos ? end : end + 2);
      } else if (text_[at_] == '#') {
        TakeDirective();
      } else if (text_[at_] == '"') {
        TakeString();
      } else if (text_[at_] == '\'') {
        Blank(at_ + 1, EndOfQuoted('\''));
        ++at_;
      } else if (IsWordCharacter(text_[at_])) {
        TakeWord();
      } else {
        ++at_;
      }
    }
  }

 private:
  // Turns [begin, end) into spaces and goes on behind it.
  void Blank(size_t begin, size_t end) {
    end = std::min(end, text_.size());
    for (size_t i = begin; i < end; ++i) {
      if (text_[i] != '\n') source_.code[i] = ' ';
    }
    at_ = end;
  }

  Piece PieceOf(size_t begin, size_t end) const {
    return {LineAt(text_, begin), std::string(text_.substr(begin, end - begin))};
  }

  void TakeComment(size_t end) {
    end = std::min(end, text_.size());
    source_.comments.push_back(PieceOf(at_, end));
    Blank(at_, end);
  }

  // The offset of the quote that closes the one at at_.
  size_t EndOfQuoted(char quote) const {
    size_t i = at_ + 1;
    while (i < text_.size() && text_[i] != quote && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
    return std::min(i, text_.size());
  }

  void TakeString() {
    const size_t end = EndOfQuoted('"');
    source_.strings.push_back(PieceOf(at_ + 1, end));
    Blank(at_ + 1, end);
    ++at_;
  }

  // R"tag( ... )tag", at its quote.
  void TakeRawString() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return Blank(at_, text_.size());
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const size_t end = std::min(text_.find(close, open), text_.size());
    source_.strings.push_back(PieceOf(open + 1, end));
    Blank(at_, end + close.size());
  }

  // An identifier or a number; a quote inside a number separates digits.
  void TakeWord() {
    const bool is_number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    const size_t begin = at_;
    while (at_ < text_.size() && (IsWordCharacter(text_[at_]) || (is_number && text_[at_] == '\'')))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const bool is_raw = word == "R" || word == "u8R" || word == "LR";
    if (is_raw && at_ < text_.size() && text_[at_] == '"') TakeRawString();
  }

  // Only includes are looked into.
  void TakeDirective() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    const size_t name = line.find_first_of("<\"");
    if (!line.starts_with("#include") || name == std::string_view::npos) {
      ++at_;
      return;
    }
    const size_t close = line.find_first_of(">\"", name + 1);
    const size_t name_end = close == std::string_view::npos ? line.size() : close + 1;
    source_.includes.push_back(PieceOf(at_ + name, at_ + name_end));
    Blank(at_, at_ + name_end);
  }

  Source& source_;
  std::string_view text_;
  size_t at_ = 0;
};

// `header` without a leading `template <...>`.
std::string_view WithoutTemplate(std::string_view header) {
  while (header.starts_with("template")) {
    size_t depth = 0;
    size_t i = header.find('<');
    for (; i < header.size(); ++i) {
      if (header[i] == '<') ++depth;
      if (header[i] == '>' && --depth == 0) break;
    }
    header.remove_prefix(std::min(header.size(), i + 1));
    header.remove_prefix(std::min(header.size(), header.find_first_not_of(" \n")));
  }
  return header;
}

bool OpensScope(std::string_view header) {
  header = WithoutTemplate(header);
  const auto is_first_word = [&](std::string_view word) {
    return header.starts_with(word) &&
           (header.size() == word.size() || !IsWordCharacter(header[word.size()]));
  };
  for (const std::string_view word : {"namespace", "inline namespace", "extern"}) {
    if (is_first_word(word)) return true;
  }
  // `struct S F() {` defines a function, so does `struct S {` not.
  for (const std::string_view word : {"class", "struct", "union"}) {
    if (is_first_word(word)) return header.find('(') == std::string_view::npos;
  }
  return false;
}

// Finds functions by their braces, keeping what stands before each.
class FunctionFinder {
 public:
  explicit FunctionFinder(const Source& source) : code_(source.code) {}

  std::vector<Function> Run() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      const char c = code_[at_];
      if (c == '#') {
        SkipDirective();
      } else if (c == ';' || c == '}') {
        header_ = at_ + 1;
      } else if (c == ':' && EndsAccessLabel()) {
        header_ = at_ + 1;
      } else if (c == '(') {
        at_ = Close(at_, '(', ')');
      } else if (c == '{') {
        TakeBrace();
      }
    }
    return std::move(functions_);
  }

 private:
  // The offset of what closes the bracket at `open`.
  size_t Close(size_t open, char opening, char closing) const {
    size_t depth = 0;
    for (size_t i = open; i < code_.size(); ++i) {
      if (code_[i] == opening) ++depth;
      if (code_[i] == closing && --depth == 0) return i;
    }
    return code_.size() - 1;
  }

  // To the last character before the end of the line that no backslash continues.
  void SkipDirective() {
    size_t end = at_;
    do {
      end = code_.find('\n', end + 1);
    } while (end != std::string_view::npos && code_[end - 1] == '\\');
    at_ = std::min(end, code_.size()) - 1;
    header_ = at_ + 1;
  }

  std::string_view Header() const {
    std::string_view header = code_.substr(header_, at_ - header_);
    header.remove_prefix(std::min(header.size(), header.find_first_not_of(" \n\t")));
    return header;
  }

  bool EndsAccessLabel() const {
    const std::string_view header = Header();
    return header == "public" || header == "protected" || header == "private";
  }

  void TakeBrace() {
    const std::string_view header = Header();
    if (OpensScope(header)) {
      header_ = at_ + 1;
      return;
    }
    const size_t begin = at_ - header.size();
    const size_t end = Close(at_, '{', '}');
    at_ = end;
    // A value in braces, an enum: the declaration goes on to its semicolon.
    const size_t last = header.find_last_not_of(" \n");
    if (header.find('(') == std::string_view::npos || header[last] == '=') return;
    // A member that a constructor initialises with braces; the body is still to come.
    const size_t next = code_.find_first_not_of(" \n", end + 1);
    if (next != std::string_view::npos && (code_[next] == ',' || code_[next] == '{')) return;
    functions_.push_back({LineAt(code_, begin), LineAt(code_, end),
                          std::string(header.substr(0, header.find_first_of("(\n")))});
    header_ = end + 1;
  }

  std::string_view code_;
  size_t at_ = 0;
  size_t header_ = 0;  // where the text after the last `;`, `{` or `}` begins
  std::vector<Function> functions_;
};

}  // namespace

Source ReadSource(std::string path, std::string text) {
  Source source;
  source.path = std::move(path);
  source.text = std::move(text);
  Lexer(source).Run();
  return source;
}

size_t LineAt(std::string_view text, size_t offset) {
  return 1 + static_cast<size_t>(
                 std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(offset), '\n'));
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<Function> FunctionsOf(const Source& source) { return FunctionFinder(source).Run(); }

}  // namespace berglite::tidy
