#include "jobs/cluster/retry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/config/yaml_group.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using run::yaml::Node;

/// "1.5x" or 1.5.
void read_factor(const Node& node, const std::string& name, RetryRule& rule) {
  const auto& text = node.one_line();
  try {
    run::set_field_by_name(rule, "memory",
                           text.substr(0, text.size() - (text.ends_with('x') ? 1 : 0)));
  } catch (const Error& error) {
    throw node.error(fmt::format("{}.{}", name, error.what()));
  }
}

/// One word, or a group of keys.
RetryRule read_rule(const Node& node, const RetryReason& reason) {
  const auto name = fmt::format("{}.{}", retry_key, reason.key);
  const auto actions = split(std::string(reason.actions), '|');
  RetryRule rule;
  if (node.kind == Node::Kind::scalar) {
    rule.action = node.text();
  } else {
    rule.action = actions.front();
    run::yaml::read_group(
        node,
        {.name = name,
         .example = "{memory: 1.5x, most: 64G}",
         .lists = {{"memory", [&](const Node& value) { read_factor(value, name, rule); }}}},
        rule);
  }
  if (std::ranges::find(actions, rule.action) == actions.end()) {
    throw node.error(
        fmt::format("{}: found '{}', expected one of {}", name, rule.action, join(actions, ", ")));
  }
  return rule;
}

}  // namespace

const RetryRule& Retry::rule_of(run::FailureCause cause) const {
  static const RetryRule nothing;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (std::ranges::count(retry_reasons[i].causes, cause) > 0) {
      return rules[i];
    }
  }
  return nothing;
}

RetryRule& Retry::rule(std::string_view key) {
  const auto* reason = std::ranges::find(retry_reasons, key, &RetryReason::key);
  return rules.at(static_cast<std::size_t>(reason - retry_reasons.begin()));
}

bool Retry::submits() const {
  return attempts > 1 && std::ranges::any_of(rules, &RetryRule::submits);
}

bool Retry::requeues() const {
  return attempts > 1 && std::ranges::count(rules, "requeue", &RetryRule::action) > 0;
}

void read_retry(const Node& node, Retry& retry) {
  run::yaml::Group group{.name = retry_key, .example = "{timeout: resume, attempts: 3}"};
  for (const auto& reason : retry_reasons) {
    group.lists.emplace(
        reason.key, [&](const Node& value) { retry.rule(reason.key) = read_rule(value, reason); });
  }
  run::yaml::read_group(node, group, retry);
}

std::vector<cli::KeyRow> retry_keys() {
  auto rows = cli::group_rows<Retry>(
      retry_key, "What is done about a point whose job ended without its result");
  for (const auto& reason : retry_reasons) {
    rows.push_back({fmt::format("{}.{}", retry_key, reason.key), "text, or a map", "none", "1",
                    std::string(reason.meaning), std::string(reason.actions)});
  }
  for (auto& row : cli::key_rows<RetryRule>()) {
    row.name = fmt::format("{}.REASON.{}", retry_key, row.name);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace epochcast::jobs
