#include "src/base/core/secrets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

// ---- The table ----

/// Names of secrets, without the characters between their words: "apikey" is api_key, api-key and
/// apiKey. Longer names that contain them, such as "db_password_2", are names of secrets too.
constexpr std::array names{"password",   "passwd",     "passphrase", "secret",        "credential",
                           "authkey",    "apikey",     "accesskey",  "privatekey",    "signingkey",
                           "licensekey", "accountkey", "wandbkey",   "encryptionkey", "cookie"};
/// Names of secrets if nothing follows.
constexpr std::array last_words{"token",    "auth",     "authorization", "dbpass",   "userpass",
                                "mailpass", "smtppass", "redispass",     "rootpass", "adminpass",
                                "pwd"};
/// Last words of names whose value is none: the place, the length or the kind of a secret.
constexpr std::array harmless_ends{"file", "path", "dir",   "folder", "length", "len",    "count",
                                   "size", "type", "name",  "policy", "url",    "ttl",    "timeout",
                                   "env",  "id",   "store", "column", "field",  "helper", "prompt"};
/// What "token" names after these words is a piece of text.
constexpr std::array words_of_texts{
    "eos",  "bos",    "pad",    "unk",   "sep",   "cls",   "mask",  "image", "audio", "video",
    "stop", "start",  "end",    "max",   "min",   "num",   "per",   "new",   "first", "last",
    "next", "prefix", "suffix", "added", "extra", "think", "class", "dist",  "by",    "special"};

constexpr const char* word = R"((?<secret>'[^']*'?(?:\\''[^']*'?)*|"(?:\\.|[^"\\])*"?|[^\s'"]+))";

/// A name and its value: the rest of a quoted word of a command line (but not of a script after
/// -c), the next word after an option, and what follows '=' or ':'.
const std::array pairs{
    std::string(R"((?<!-c )'(?<name>[-+]{0,2}[A-Za-z_][\w.-]{0,80})=(?<secret>(?:[^']|'\\'')++))"),
    R"((?<![\w.-])(?<name>-{1,2}[A-Za-z][\w.-]{0,80})[ \t]+(?!-))" + std::string(word),
    R"((?<![\w.-])(?<name>[-+]{0,2}[A-Za-z_][\w.-]{0,80})['"]?[ \t]*[=:][ \t]*)"
    R"((?:(?:Bearer|Basic|Token|Digest)[ \t]+)?)" +
        std::string(word)};

/// Secrets by their form, or by what stands before them.
constexpr std::array forms{
    R"(\b(?<secret>hf_(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{10,}))",  // Hugging Face
    R"(\b(?<secret>(?:wandb_v1_|local-)[A-Za-z0-9_]{30,}))",  // Weights & Biases
    R"(\bwandb[ \t]+login[ \t]+(?:-\S+[ \t]+)*(?<secret>[0-9a-z_]{32,}))",
    R"(\b(?<secret>(?:sk|pk|rk|xai|pplx|nvapi|glpat|tvly)-(?=[\w-]*\d)[\w-]{16,}))",
    R"(\b(?<secret>(?:sk_live|sk_test|gsk|glsa|lsv2_pt|lsv2_sk|dop_v1|r8|npm)_(?=\w*\d)\w{16,}))",
    R"(\b(?<secret>(?:gh[pousr]_|github_pat_|dckr_pat_|pypi-AgEI)[\w-]{16,}))",
    R"(\b(?<secret>(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|dapi[0-9a-f]{32}))",
    R"(\b(?<secret>xox[abeoprs]-[\w-]{10,}|SG\.[\w-]{16,}\.[\w-]{16,}))",  // Slack, SendGrid
    R"(hooks\.slack\.com/services/(?<secret>[\w/]+))",
    R"(\b(?<secret>eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*))",  // a JSON web token
    R"(\b[Bb]earer[ \t]+(?=\S*\d)(?<secret>[\w.~+/][\w.~+/=-]{7,}))",
    R"(\b[A-Za-z][\w+.-]{0,30}://[^\s/:@'"]*:(?<secret>[^\s/'"]+)@)",  // SCHEME://USER:SECRET@
    R"([?&](?:sig|key|[\w-]*[Ss]ignature)=(?<secret>[^\s&'"]+))",      // signed addresses
    // programs that take a password by a short option, and "-u USER -p PASSWORD" of any other
    R"(\b(?:sshpass|mysql\w*|mariadb[\w-]*|mongo\w*|(?:docker|podman|helm|oc|az)[ \t]+login)\b)"
    R"((?:[ \t]+(?!-p)[^\s;|&]+)*[ \t]+-p[ \t]*(?<secret>[^\s;|&]+))",
    R"((?<![\w-])(?:-u|-U|--user|--username)[ \t=]+(?![^\s]+\.py\b)[^\s-]\S*[ \t]+-p[ \t]+(?<secret>[^\s;|&]+))",
    R"(\b(?:redis-cli(?:[ \t]+(?!-a)[^\s;|&]+)*[ \t]+-a|ldap\w+(?:[ \t]+(?!-w)[^\s;|&]+)*[ \t]+-w)[ \t]+)"
    R"((?<secret>[^\s;|&]+))",
    R"(\b(?:curl|wget)\b(?:[ \t]+(?!-u)[^\s;|&]+)*[ \t]+-u[ \t]*['"]?[^\s:'"]+:(?<secret>[^\s'"]+))",
    R"(-----BEGIN [A-Z ]*PRIVATE KEY-----\s*(?<secret>[^-]+))"};

// ---- Its use ----

bool is_among(const auto& table, const std::string& text) {
  return std::ranges::find(table, text) != table.end();
}

bool is_name_of_secret(std::string_view name) {
  const auto words = words_of_name(name);
  if (words.empty() || name == "PWD" || name == "OLDPWD" || is_among(harmless_ends, words.back())) {
    return false;
  }
  if (words.back() == "token" && words.size() > 1 &&
      is_among(words_of_texts, words[words.size() - 2])) {
    return false;
  }
  const auto joined = join(words, "");
  return std::ranges::any_of(
             names, [&](const char* part) { return joined.find(part) != std::string::npos; }) ||
         std::ranges::any_of(last_words, [&](const char* end) { return joined.ends_with(end); });
}

/// Switches, references to a variable, and what a token of a text looks like: a number, "<pad>".
bool is_harmless(std::string_view value, std::string_view name) {
  const auto quotes = std::string_view("'\"");
  const auto first = std::min(value.find_first_not_of(quotes), value.size());
  const auto text = to_lower(value.substr(first, value.find_last_not_of(quotes) + 1 - first));
  constexpr std::array switches{"", "true", "false", "none", "null", "yes", "no", "0", "1"};
  constexpr std::size_t longest_number = 7;
  return is_among(switches, text) || text.starts_with('$') || text.starts_with(hidden) ||
         (to_lower(name).ends_with("token") &&
          (text.find_first_of("<[") == 0 ||
           (text.size() <= longest_number && parse_double(text).has_value())));
}

std::optional<std::string> hidden_if_secret(std::string_view name, std::string_view value) {
  return is_name_of_secret(name) && !is_harmless(value, name) ? std::optional(std::string(hidden))
                                                              : std::nullopt;
}

struct Hider {
  RegularExpression expression;
  RegularExpression::Replacement replacement;
};

std::vector<Hider> make_hiders() {
  std::vector<Hider> hiders;
  for (const auto& pair : pairs) {
    hiders.push_back({RegularExpression(pair), [](const auto& match) {
                        return hidden_if_secret(match.text("name"), match.text("secret"));
                      }});
  }
  for (const auto* form : forms) {
    hiders.push_back({RegularExpression(form),
                      [](const auto& /*match*/) { return std::optional(std::string(hidden)); }});
  }
  return hiders;
}

}  // namespace

std::string without_secrets(std::string_view text) {
  static thread_local const auto hiders = make_hiders();  // an expression serves one thread
  std::string shown(text);
  for (const auto& hider : hiders) {
    shown = hider.expression.replace(shown, "secret", hider.replacement);
  }
  return shown;
}

std::string without_secrets(std::string_view name, std::string_view value) {
  return hidden_if_secret(name, value).value_or(without_secrets(value));
}

}  // namespace epochcast
