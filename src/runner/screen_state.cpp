#include "src/runner/screen_state.hpp"

#include <algorithm>

namespace epochcast::runner {
namespace {

constexpr unsigned char escape_byte = 0x1b;
constexpr unsigned char bell = 0x07;
/// More than this of one write cannot matter: no character or sequence is that long.
constexpr std::size_t most = 256;

int bytes_after(unsigned char lead) {
  return lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
}

/// The last byte of a control sequence that sets the cursor to another line.
bool is_move(char last) {
  return std::string_view("ABEFHSTdf").find(last) != std::string_view::npos;
}

bool has_moves(std::string_view bytes) {
  constexpr std::string_view begin = "\033[";
  for (auto at = bytes.find(begin); at != std::string_view::npos; at = bytes.find(begin, at + 1)) {
    const auto last = bytes.find_first_not_of("0123456789;", at + begin.size());
    if (last != std::string_view::npos && is_move(bytes[last])) {
      return true;
    }
  }
  return false;
}

}  // namespace

void ScreenState::read(std::string_view bytes) {
  if (bytes.size() > most) {
    // an unfinished sequence may have begun before: whatever ends it is in what is read
    const auto before = bytes.substr(0, bytes.size() - most);
    moves_ = moves_ || has_moves(before);
    bytes.remove_prefix(before.size());
  }
  for (const char byte : bytes) {
    read(static_cast<unsigned char>(byte));
  }
}

void ScreenState::read(unsigned char byte) {
  if (state_ == State::character && (byte & 0xc0) == 0x80) {
    state_ = --missing_ > 0 ? State::character : State::text;
    return;
  }
  switch (state_) {
    case State::character:
    case State::text:
      missing_ = byte < 0x80 ? 0 : bytes_after(byte);
      state_ = byte == escape_byte ? State::escape : missing_ > 0 ? State::character : State::text;
      line_is_empty_ = byte == '\n' || (byte == '\r' && line_is_empty_);
      break;
    case State::escape:
      state_ = byte == '['                                                ? State::control
               : byte == ']' || byte == 'P' || byte == '_' || byte == '^' ? State::string
               : byte >= 0x20 && byte < 0x30                              ? State::escape
                                                                          : State::text;
      break;
    case State::control:
      state_ = byte >= 0x40 && byte <= 0x7e ? State::text : State::control;
      moves_ = moves_ || is_move(static_cast<char>(byte));
      break;
    case State::string:
      state_ = byte == bell          ? State::text
               : byte == escape_byte ? State::string_escape
                                     : State::string;
      break;
    case State::string_escape:
      state_ = State::text;
      break;
  }
}

}  // namespace epochcast::runner
