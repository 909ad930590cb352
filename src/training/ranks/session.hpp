// What proves that a line comes from the other end of a connection, and that both ends know the
// secret of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::ranks {

/// The two ends of a connection.
enum class End { rank_zero, caller };

/// Both ends give a number that they use once (a nonce, from random_digits()). Secret and nonces
/// make the key of the session, and every line carries an HMAC-SHA-256 of its direction, its number
/// and its text. So a line that another process made, repeated, left out or changed is recognized;
/// the secret itself is never sent. The text is not encrypted.
class Session {
 public:
  Session(End own, std::string_view secret, std::string_view nonce_of_rank_zero,
          std::string_view nonce_of_caller);

  /// "PROOF TEXT", the next line to send.
  std::string seal(std::string_view text);

  /// The text of the next line received; std::nullopt if the other end did not seal it so.
  std::optional<std::string> open(std::string_view line);

 private:
  std::string proof(End from, std::uint64_t number, std::string_view text) const;

  End own_;
  std::string key_;
  std::uint64_t sealed_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace epochcast::ranks
