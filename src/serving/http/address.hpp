// The address of a service, as users and services write it.
#pragma once

#include <string>
#include <string_view>

namespace epochcast::http {

struct Address {
  std::string host = "127.0.0.1";  ///< A name or an address; IPv6 without brackets.
  std::string port = "80";
  std::string prefix = {};  ///< Before each path: "/v1"; without a slash at its end.
  bool operator==(const Address&) const = default;

  /// "http://127.0.0.1:8000/v1".
  std::string url() const;
  /// The value of the header Host: "127.0.0.1:8000".
  std::string authority() const;
};

/// The address in "http://HOST:PORT/PREFIX", in which only HOST is needed. Throws Error for https
/// and any other text.
Address parse_url(std::string_view url);

struct RequestParts {
  std::string_view method = "GET";
  std::string_view path = "/";
  std::string_view body = {};
  std::string_view content_type = {};  ///< Empty: none is sent.
  std::string_view token = {};         ///< Sent as bearer token; empty: none.
};

/// The bytes of a request. Throws Error if the token has a character that no header may have.
std::string request_bytes(const Address& address, const RequestParts& parts);

}  // namespace epochcast::http
