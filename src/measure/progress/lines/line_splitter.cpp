#include "src/measure/progress/lines/line_splitter.hpp"

#include <algorithm>

#include "src/base/core/utf8.hpp"

namespace epochcast::progress {
namespace {

/// Of the bytes of a line that are kept until it ends: text and the colours between it.
constexpr std::size_t longest_raw = 4 * longest_line;
constexpr char escape = '\x1b';

bool ends_line(char c) {
  return c == '\n' || c == '\r' || c == '\b';
}

/// The first byte at or after `from` that ends a line; the size of `bytes` if there is none.
std::size_t next_end(std::string_view bytes, std::size_t from) {
  while (from < bytes.size() && !ends_line(bytes[from])) {
    ++from;
  }
  return from;
}

/// After the last byte before `until` that ends a line; `least` if there is none after it.
std::size_t begin_of_line(std::string_view bytes, std::size_t until, std::size_t least) {
  while (until > least && !ends_line(bytes[until - 1])) {
    --until;
  }
  return until;
}

/// The bytes of the escape sequence at the front of `text`; all of them if it has no end.
std::size_t escape_size(std::string_view text) {
  if (text.size() < 2) {
    return text.size();
  }
  const auto in = [](char c, int low, int high) { return c >= low && c <= high; };
  if (text[1] == '[') {  // CSI: parameters, intermediates, one final byte
    std::size_t at = 2;
    while (at < text.size() && in(text[at], 0x20, 0x3f)) {
      ++at;
    }
    return std::min(at + 1, text.size());
  }
  if (text[1] == ']' || text[1] == 'P' || text[1] == '_' || text[1] == '^') {  // until BEL or ST
    for (std::size_t at = 2; at < text.size(); ++at) {
      if (text[at] == '\a') {
        return at + 1;
      }
      if (text[at] == escape) {
        return std::min(at + 2, text.size());
      }
    }
    return text.size();
  }
  return in(text[1], 0x20, 0x2f) ? std::min<std::size_t>(3, text.size()) : 2;
}

/// Whether the sequence moves the cursor to another line, or to another place of this one.
bool moves(std::string_view sequence) {
  if (sequence.size() < 2) {
    return false;
  }
  if (sequence[1] != '[') {
    return sequence[1] == 'M' || sequence[1] == 'D' || sequence[1] == 'E' || sequence[1] == 'c';
  }
  return std::string_view("ABDEFGHJfu").find(sequence.back()) != std::string_view::npos;
}

/// A place to draw over: what follows is another line.
std::size_t end_of_drawing(std::string_view raw) {
  for (auto at = raw.find(escape); at != std::string_view::npos; at = raw.find(escape, at)) {
    const auto size = escape_size(raw.substr(at));
    if (moves(raw.substr(at, size))) {
      return at;
    }
    at += size;
  }
  return std::string_view::npos;
}

/// Without escape sequences and control characters; valid UTF-8.
void clean(std::string_view raw, std::string& text) {
  text.clear();
  while (!raw.empty() && text.size() < longest_line) {
    const auto plain = std::size_t(
        std::find_if(raw.begin(), raw.end(), [](char c) { return c < 0x20 || c == 0x7f; }) -
        raw.begin());  // bytes of UTF-8 above 0x7f are negative
    text += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (raw.empty()) {
      break;
    }
    const auto code = first_code_point(raw);
    if (!code) {
      text += "\xef\xbf\xbd";
      raw.remove_prefix(1);
    } else if (code->bytes > 1) {
      text += raw.substr(0, code->bytes);
      raw.remove_prefix(code->bytes);
    } else if (raw.front() == escape) {
      raw.remove_prefix(escape_size(raw));
    } else {
      if (raw.front() == '\t') {
        text += '\t';
      }
      raw.remove_prefix(1);
    }
  }
  if (text.size() > longest_line) {
    auto end = longest_line;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
      --end;
    }
    text.resize(end);
  }
}

}  // namespace

void LineSplitter::deliver(std::string_view raw, double at_s, bool redrawn, const Sink& sink) {
  while (!raw.empty()) {
    const auto end = end_of_drawing(raw);
    clean(raw.substr(0, end), text_);
    if (text_.find_first_not_of(" \t") != std::string::npos) {
      sink({.text = text_, .at_s = at_s, .redrawn = redrawn || end != std::string_view::npos});
    }
    raw.remove_prefix(end == std::string_view::npos ? raw.size()
                                                    : end + escape_size(raw.substr(end)));
  }
}

void LineSplitter::keep(std::string_view raw, double at_s) {
  if (!raw.empty()) {
    open_ += raw.substr(0, longest_raw - std::min(longest_raw, open_.size()));
    open_at_s_ = at_s;
  }
}

void LineSplitter::read(std::string_view bytes, double at_s, const Sink& sink) {
  std::size_t begin = 0;
  if (!open_.empty()) {
    const auto end = next_end(bytes, 0);
    keep(bytes.substr(0, end), at_s);
    if (end == bytes.size()) {
      return;
    }
    deliver(open_, open_at_s_, bytes[end] != '\n', sink);
    open_.clear();
    begin = end + 1;
  }
  const auto whole = begin_of_line(bytes, bytes.size(), begin);
  while (begin < whole) {
    const auto place = next_place_ ? next_place_(bytes.substr(0, whole), begin) : begin;
    if (place >= whole) {
      break;
    }
    begin = begin_of_line(bytes, place, begin);
    const auto end = next_end(bytes, place);
    const bool crlf = bytes.substr(end, 2) == "\r\n";
    deliver(bytes.substr(begin, end - begin), at_s, bytes[end] != '\n' && !crlf, sink);
    begin = end + (crlf ? 2 : 1);
  }
  keep(bytes.substr(whole), at_s);
}

void LineSplitter::finish(const Sink& sink) {
  deliver(open_, open_at_s_, false, sink);
  open_.clear();
}

}  // namespace epochcast::progress
