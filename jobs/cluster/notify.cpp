#include "jobs/cluster/notify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/config/yaml_group.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {

using run::yaml::Node;

std::string command_of_earlier_way(std::string_view key, std::string_view value) {
  if (key == "mail") {
    return fmt::format(R"(mail -s "$EPOCHCAST_SUBJECT" {})", value);
  }
  // The URL is a secret, so it is not among the words of a process.
  return key == "webhook" ? fmt::format(
                                "printf 'url = \"%s\"\\n' {} | curl -sS --fail --max-time 30 "
                                "-K - -H 'Content-Type: application/json' --data-binary "
                                "@\"$EPOCHCAST_JSON\"",
                                value)
                          : "";
}

void read_notify(const Node& node, Notify& notify) {
  for (const auto& [key, value] : node.map) {
    if (const auto command = command_of_earlier_way(key, "..."); !command.empty()) {
      throw value.error(fmt::format("{0}.{1} is no longer supported; use {0}.command: {2}",
                                    notify_key, key, command));
    }
  }
  run::yaml::read_group(node, {.name = notify_key, .example = "{command: 'cat >>~/ended.txt'}"},
                        notify);
}

std::vector<cli::KeyRow> notify_keys() {
  return cli::group_rows<Notify>(notify_key, "Who is told when the experiment has ended");
}

Node with_commands_for_earlier_ways(Node document) {
  const auto is_earlier = [](const auto& entry) {
    return !command_of_earlier_way(entry.first, "").empty();
  };
  for (auto& [key, value] : document.map) {
    if (key != notify_key || std::ranges::none_of(value.map, is_earlier)) {
      value = with_commands_for_earlier_ways(std::move(value));
      continue;
    }
    std::vector<std::string> commands;
    for (const auto& [way, found] : std::exchange(value.map, {})) {
      const auto command = command_of_earlier_way(way, shell_quote(found.text()));
      commands.push_back(command.empty() ? found.text() : command);
    }
    value.place("command") = run::yaml::scalar_node(join(commands, "; "), value.file);
  }
  return document;
}

}  // namespace epochcast::jobs
