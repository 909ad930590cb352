#include "src/serving/service/site.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

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

}  // namespace

std::vector<std::string> own_names(const std::string& listens_on) {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  std::vector<std::string> names{to_lower(listens_on), to_lower(name.data())};
  addrinfo wanted{};
  wanted.ai_flags = AI_CANONNAME;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.data(), nullptr, &wanted, &found) == 0) {
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

}  // namespace epochcast::serve
