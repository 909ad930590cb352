#include "src/serving/http/address.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::http {
namespace {

Error not_an_address(std::string_view url, std::string_view expected) {
  return Error(fmt::format("found '{}', expected {}", printable(url), expected));
}

bool is_port(std::string_view text) {
  const auto number = parse_integer(text);
  return number && *number > 0 && *number < 65536;
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

/// Splits "HOST:PORT" or "[IPv6]:PORT" into the two.
void set_authority(std::string_view authority, Address& address) {
  const auto bracket = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (bracket != std::string_view::npos) {
    address.host = authority.substr(1, bracket - 1);
  } else {
    address.host = authority.substr(0, colon);
  }
  if (colon != std::string_view::npos) {
    address.port = authority.substr(colon + 1);
  }
}

}  // namespace

std::string Address::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

std::string Address::url() const {
  return fmt::format("http://{}{}", authority(), prefix);
}

Address parse_url(std::string_view url) {
  constexpr std::string_view form = "an address such as http://127.0.0.1:8000";
  std::string_view rest = trim(url);
  if (rest.starts_with("https://")) {
    throw not_an_address(url, fmt::format("{}; connections are not encrypted here", form));
  }
  if (const auto scheme = rest.find("://"); scheme != std::string_view::npos) {
    if (rest.substr(0, scheme) != "http") {
      throw not_an_address(url, form);
    }
    rest.remove_prefix(scheme + 3);
  }
  Address address;
  const auto slash = std::min(rest.find('/'), rest.size());
  set_authority(rest.substr(0, slash), address);
  address.prefix = rest.substr(slash);
  while (address.prefix.ends_with('/')) {
    address.prefix.pop_back();
  }
  if (address.host.empty() || !is_port(address.port) || !is_plain(rest)) {
    throw not_an_address(url, form);
  }
  return address;
}

std::string request_bytes(const Address& address, const RequestParts& parts) {
  if (!is_plain(parts.token)) {
    throw Error("the token has a character that a header cannot have; expected one line of ASCII");
  }
  std::string bytes = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: epochcast\r\n",
                                  parts.method, address.prefix, parts.path, address.authority());
  if (!parts.token.empty()) {
    bytes += fmt::format("Authorization: Bearer {}\r\n", parts.token);
  }
  if (!parts.content_type.empty()) {
    bytes += fmt::format("Content-Type: {}\r\n", parts.content_type);
  }
  if (!parts.body.empty()) {
    bytes += fmt::format("Content-Length: {}\r\n", parts.body.size());
  }
  return bytes.append("\r\n").append(parts.body);
}

}  // namespace epochcast::http
