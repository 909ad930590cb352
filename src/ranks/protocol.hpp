// What ranks say to each other over their sockets, a line a message: a word, and behind a tab what
// belongs to it.
//
//   hello    a caller to rank 0: who it is, as rendezvous.cpp writes a Member
//   member   rank 0 to each caller: every member, by rank
//   welcome  rank 0 to each caller, behind the members: what the run's ranks are to know
//   alive    each to all it is linked with, at every beat
//   fail     the reason, of whoever fails or misses another; rank 0 passes it on
//   bye      of whoever is through and needs nobody any more
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace epochcast::ranks::protocol {

inline constexpr std::string_view hello = "hello";
inline constexpr std::string_view member = "member";
inline constexpr std::string_view welcome = "welcome";
inline constexpr std::string_view alive = "alive";
inline constexpr std::string_view fail = "fail";
inline constexpr std::string_view bye = "bye";

inline std::string line_of(std::string_view word, std::string_view text) {
  return std::string(word).append("\t").append(text);
}

/// What belongs to `word`; nothing where `line` says something else.
inline std::optional<std::string> text_of(std::string_view word, std::string_view line) {
  const bool says_it =
      line.starts_with(word) && line.size() > word.size() && line[word.size()] == '\t';
  return says_it ? std::optional(std::string(line.substr(word.size() + 1))) : std::nullopt;
}

}  // namespace epochcast::ranks::protocol
