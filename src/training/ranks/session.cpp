#include "src/training/ranks/session.hpp"

#include <fmt/format.h>

#include "src/base/core/digest.hpp"

namespace epochcast::ranks {

Session::Session(End own, std::string_view secret, std::string_view nonce_of_rank_zero,
                 std::string_view nonce_of_caller)
    : own_(own),
      key_(hmac_sha256(
          secret, fmt::format("epochcast ranks {} {}", nonce_of_rank_zero, nonce_of_caller))) {}

std::string Session::seal(std::string_view text) {
  return fmt::format("{} {}", proof(own_, sealed_++, text), text);
}

std::optional<std::string> Session::open(std::string_view line) {
  if (line.size() <= digest_digits) {
    return std::nullopt;
  }
  const auto text = line.substr(digest_digits + 1);
  const auto other = own_ == End::caller ? End::rank_zero : End::caller;
  if (!same_secret(line.substr(0, digest_digits), proof(other, opened_++, text))) {
    return std::nullopt;
  }
  return std::string(text);
}

std::string Session::proof(End from, std::uint64_t number, std::string_view text) const {
  return hmac_sha256(
      key_, fmt::format("{} {} {}", from == End::caller ? "caller" : "rank 0", number, text));
}

}  // namespace epochcast::ranks
