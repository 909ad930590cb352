#include "src/base/text/utf8.hpp"

namespace epochcast::text {
namespace {

/// What may follow a first byte: the number of bytes and the range of the first one (the Unicode
/// Standard, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
struct Follow {
  int bytes = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Follow follow(unsigned char first) {
  switch (first) {
    case 0xE0:
      return {2, 0xA0, 0xBF};
    case 0xED:
      return {2, 0x80, 0x9F};
    case 0xF0:
      return {3, 0x90, 0xBF};
    case 0xF4:
      return {3, 0x80, 0x8F};
    default:
      break;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return {1};
  }
  if (first >= 0xE1 && first <= 0xEF) {
    return {2};
  }
  if (first >= 0xF1 && first <= 0xF3) {
    return {3};
  }
  return {};
}

/// The longest valid beginning of a code point at `at`.
struct Part {
  std::size_t bytes = 1;
  bool whole = false;
};

Part part_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(at) < 0x80) {
    return {1, true};
  }
  Follow expected = follow(byte(at));
  Part part{1, false};
  while (expected.bytes > 0 && at + part.bytes < text.size() &&
         byte(at + part.bytes) >= expected.low && byte(at + part.bytes) <= expected.high) {
    ++part.bytes;
    expected = {expected.bytes - 1};
    part.whole = expected.bytes == 0;
  }
  return part;
}

/// Number of bytes from `at` on that are valid UTF-8.
std::size_t valid_bytes(std::string_view text, std::size_t at) {
  const std::size_t start = at;
  while (at < text.size()) {
    const Part part = part_at(text, at);
    if (!part.whole) {
      break;
    }
    at += part.bytes;
  }
  return at - start;
}

}  // namespace

std::string_view valid_utf8(std::string_view text, std::string& mended) {
  std::size_t at = valid_bytes(text, 0);
  if (at == text.size()) {
    return text;
  }
  mended.assign(text.substr(0, at));
  while (at < text.size()) {
    append_utf8(replacement_character, mended);
    at += part_at(text, at).bytes;
    const std::size_t good = valid_bytes(text, at);
    mended += text.substr(at, good);
    at += good;
  }
  return mended;
}

std::size_t code_point_before(std::string_view text, std::size_t end) {
  do {
    --end;
  } while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  return end;
}

void append_utf8(char32_t code, std::string& text) {
  const auto tail = [&](int shift) { text += char(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += char(code);
  } else if (code < 0x800) {
    text += char(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    text += char(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    text += char(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace epochcast::text
