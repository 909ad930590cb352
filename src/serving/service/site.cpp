#include "src/serving/service/site.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/host.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::serve {
namespace {

/// The name or address in "NAME:PORT".
std::string name_in(const std::string& host) {
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string::npos && host.find(']', colon) == std::string::npos;
  return to_lower(has_port ? host.substr(0, colon) : host);
}

bool is_address(const std::string& name) {
  std::array<char, 16> bytes{};
  return name.starts_with('[') || inet_pton(AF_INET, name.c_str(), bytes.data()) == 1;
}

constexpr std::string_view scheme = "bearer ";

std::string checked(const std::string& text, const std::string& where) {
  const std::string token{trim(text)};
  if (token.empty()) {
    throw Error(fmt::format("{}: the token is empty", where));
  }
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < 127; })) {
    throw Error(fmt::format("{}: the token has characters other than visible ASCII", where));
  }
  return token;
}

void check_owner_only(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) == 0 && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw Error(fmt::format("{0}: other users can read the token; run: chmod 600 {1}", file,
                            shell_quote(file)));
  }
}

/// In a time that depends on the lengths alone.
bool equal(std::string_view secret, std::string_view given) {
  volatile unsigned char difference = secret.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto expected = static_cast<unsigned char>(secret[i % secret.size()]);
    difference =
        static_cast<unsigned char>(difference | (expected ^ static_cast<unsigned char>(given[i])));
  }
  return difference == 0;
}

}  // namespace

std::vector<std::string> own_names(const std::string& listens_on) {
  const auto name = host_name();
  std::vector<std::string> names{to_lower(listens_on), to_lower(name)};
  addrinfo wanted{};
  wanted.ai_flags = AI_CANONNAME;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &wanted, &found) == 0) {
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
    names.push_back(to_lower(found->ai_canonname == nullptr ? "" : found->ai_canonname));
  }
  return names;
}

std::string fault_of_site(const http::Request& request, const std::vector<std::string>& names) {
  const auto name = name_in(request.host);
  if (name.find('.') != std::string::npos && !is_address(name) &&
      std::ranges::find(names, name) == names.end()) {
    return fmt::format("Host: found '{}', expected an address or a name of this machine", name);
  }
  if (!request.origin.empty() && to_lower(request.origin) != "http://" + to_lower(request.host)) {
    return fmt::format("Origin: found '{}', expected 'http://{}'", request.origin, request.host);
  }
  return "";
}

std::string read_token(const std::string& file) {
  const char* variable = std::getenv(token_variable);
  if (file.empty()) {
    return variable == nullptr ? "" : checked(variable, token_variable);
  }
  if (variable != nullptr) {
    throw Error(fmt::format("both --token-file and {} are given; give one", token_variable));
  }
  const std::string text = read_file(file);
  check_owner_only(file);
  return checked(text, file);
}

bool admits(std::string_view token, std::string_view authorization) {
  if (token.empty()) {
    return true;
  }
  return to_lower(authorization.substr(0, scheme.size())) == scheme &&
         equal(token, trim(authorization.substr(scheme.size())));
}

}  // namespace epochcast::serve
