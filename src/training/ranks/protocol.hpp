// The messages between ranks over their sockets, one line each: a word and, after a tab, its text.
//
// First rank 0 and then the caller send a nonce, 64 hexadecimal digits. With these and the secret
// of the run their session begins (line_socket.hpp), and every line from then on proves where it is
// from.
//
//   hello    from a caller to rank 0, and back: what each proves first, without a text
//   member   from a caller to rank 0: itself, in the format of rendezvous.cpp; then from rank 0 to
//            each caller: every member, by rank
//   welcome  from rank 0 to each caller, after the members: what all ranks must know
//   stop     from rank 0 instead of the welcome: a stop was requested, and by what
//   alive    from each rank to all ranks connected to it, at every heartbeat
//   fail     cause and reason, from a rank that fails or has lost another; rank 0 forwards it
//   bye      from a rank that is done
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/training/ranks/failure.hpp"

namespace epochcast::ranks::protocol {

inline constexpr std::string_view hello = "hello";
inline constexpr std::string_view member = "member";
inline constexpr std::string_view welcome = "welcome";
inline constexpr std::string_view stop = "stop";
inline constexpr std::string_view alive = "alive";
inline constexpr std::string_view fail = "fail";
inline constexpr std::string_view bye = "bye";

inline std::string line_of(std::string_view word, std::string_view text) {
  return std::string(word).append("\t").append(text);
}

inline std::string line_of(const Failure& failure) {
  return line_of(fail, line_of(epochcast::to_text(failure.cause), failure.text));
}

/// The text after `word`; std::nullopt if `line` is another message.
inline std::optional<std::string> text_of(std::string_view word, std::string_view line) {
  const bool matches =
      line.starts_with(word) && line.size() > word.size() && line[word.size()] == '\t';
  return matches ? std::optional(std::string(line.substr(word.size() + 1))) : std::nullopt;
}

/// The failure that `line` reports; std::nullopt if it is another message. An unknown cause becomes
/// `other`.
inline std::optional<Failure> failure_of(std::string_view line) {
  const auto text = text_of(fail, line);
  if (!text) {
    return std::nullopt;
  }
  const auto tab = text->find('\t');
  if (tab == std::string::npos) {
    return Failure{*text};
  }
  const auto cause = parse_enum<run::FailureCause>(std::string_view(*text).substr(0, tab));
  return Failure{text->substr(tab + 1), cause.value_or(run::FailureCause::other)};
}

}  // namespace epochcast::ranks::protocol
