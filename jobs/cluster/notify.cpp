#include "jobs/cluster/notify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/config/yaml_group.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// mail(1) would take "-f" for an option.
bool is_address(std::string_view text) {
  return !text.empty() && text.front() != '-' &&
         text.find_first_of(" \t\"'<>\\") == std::string_view::npos;
}

/// curl reads it between quotes.
bool is_url(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) &&
         text.find_first_of(" \t\"\\") == std::string_view::npos;
}

}  // namespace

void read_notify(const run::yaml::Node& node, Notify& notify) {
  run::yaml::read_group(node, {.name = notify_key, .example = "{mail: you@site.edu}"}, notify);
  const auto refuse = [&](const char* key, const std::string& found, const char* expected) {
    throw node.error(
        fmt::format("{}.{}: found '{}', expected {}", notify_key, key, found, expected));
  };
  const auto addresses = split(notify.mail, ',');
  if (!notify.mail.empty() && !std::ranges::all_of(addresses, [](const auto& address) {
        return is_address(trim(address));
      })) {
    refuse("mail", notify.mail, "addresses such as you@site.edu");
  }
  if (!notify.webhook.empty() && !is_url(notify.webhook)) {
    refuse("webhook", notify.webhook, "a URL that begins with https:// or http://");
  }
}

std::vector<cli::KeyRow> notify_keys() {
  return cli::group_rows<Notify>(notify_key, "Who is told when the experiment has ended");
}

}  // namespace epochcast::jobs
