#include "src/serving/service/token.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::serve {
namespace {

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
