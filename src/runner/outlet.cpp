#include "src/runner/outlet.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

bool Outlet::pass_on(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const bool written = write_offered(bytes) && write_all(bytes);
  screen_.read(bytes);
  wrote_at_s_ = clock_.now_s();
  return written;
}

/// Where the program begins a line and does not leave it at once for another one.
std::size_t Outlet::place_of_line(std::string_view bytes) const {
  constexpr char escape = 0x1b;
  const auto goes_on = [&](std::size_t at) { return at < bytes.size() && bytes[at] != escape; };
  if (screen_.at_line_start() && goes_on(0)) {
    return 0;
  }
  auto at = bytes.find('\n');
  while (at != std::string_view::npos && !goes_on(at + 1)) {
    at = bytes.find('\n', at + 1);
  }
  return at == std::string_view::npos ? at : at + 1;
}

/// Writes the offered line with the part of `bytes` before it, if there is a place for it.
bool Outlet::write_offered(std::string_view& bytes) {
  const auto at = is_offered_ ? place_of_line(bytes) : std::string_view::npos;
  if (at == std::string_view::npos) {
    return true;
  }
  auto screen = screen_;
  screen.read(bytes.substr(0, at));
  if (!screen.at_line_start() || screen.moves_between_lines()) {
    return true;
  }
  screen_ = screen;
  const bool written = write_all(bytes.substr(0, at)) && write_all(offered_ + "\n");
  bytes.remove_prefix(at);
  is_offered_ = false;
  return written;
}

bool Outlet::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // whoever gave us the descriptor made it so
      pollfd ready{descriptor_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      const bool has_gone = errno == EPIPE || errno == EIO;  // EIO: of a terminal
      why_lost_ = has_gone ? "" : std::strerror(errno);
      return false;
    }
  }
  return true;
}

bool Outlet::add_line(const std::string& line, double quiet_s) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const bool is_written = lock && screen_.at_line_start() &&
                          clock_.now_s() - wrote_at_s_ >= quiet_s && write_all(line + "\n");
  is_offered_ = is_offered_ && !is_written;
  return is_written;
}

bool Outlet::offer_line(const std::string& line) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock) {
    offered_ = line;
    is_offered_ = !line.empty();
  }
  return lock.owns_lock();
}

bool Outlet::add_sequence(const std::string& sequence) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock && screen_.between_characters() && write_all(sequence);
}

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
