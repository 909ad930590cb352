#include "jobs/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "jobs/set_key.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"
#include "src/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

using yaml::Node;

/// What a command may use without the experiment naming it.
const std::vector<std::string> given_placeholders{"point", "allocation", "repeat", "cpus", "gpus", "nodes", "tasks", "work", "device"};

Node scalar_node(const std::string& text, const Node& at) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.scalar = text;
  node.file = at.file;
  node.line = at.line;
  return node;
}

std::vector<std::string> texts(const Node& node) {
  std::vector<std::string> values;
  for (const auto& item : node.items()) {
    values.push_back(item.text());
  }
  return values;
}

/// "2..5" as 2, 3, 4, 5; any other text as itself.
std::vector<std::string> expand_range(const Node& item) {
  const auto& text = item.text();
  const auto dots = text.find("..");
  const auto first = parse_integer(text.substr(0, dots));
  const auto last = dots == std::string::npos ? std::nullopt : parse_integer(text.substr(dots + 2));
  if (!first || !last) {
    return {text};
  }
  constexpr std::int64_t longest = 10'000'000;
  if (*last < *first || *last - *first >= longest) {
    throw item.error(fmt::format("found the range '{}', expected the smaller number first and at most {} values", text, longest));
  }
  std::vector<std::string> values;
  for (auto value = *first; value <= *last; ++value) {
    values.push_back(std::to_string(value));
  }
  return values;
}

/// Reads one experiment; holds what its parts need to know of each other.
class Reader {
 public:
  explicit Reader(const Node& document) : document_(document) {
    document.as_map("an experiment: a group of keys");
    experiment_.file = document.file;
    if (const auto* command = document.find("command")) {
      read_command(*command);
    }
  }

  Experiment read() {
    for (const auto& [key, value] : document_.map) {
      read_key(key, value);
    }
    if (experiment_.name.empty()) {
      throw Error(document_.file, 1, "found no name, expected 'name: ...'");
    }
    check_placeholders();
    check_overrides();
    return experiment_;
  }

 private:
  using Read = std::function<void(const Node&)>;

  void read_key(const std::string& key, const Node& value) {
    const std::map<std::string, Read> own{
        {"name", [&](const Node& node) { experiment_.name = line_of(node); }},
        {"sweep", [&](const Node& node) { read_sweep(node); }},
        {"zip", [&](const Node& node) { read_zip(node); }},
        {"exclude", [&](const Node& node) { read_exclude(node); }},
        {"repeats", [&](const Node& node) { read_repeats(node); }},
        {"allocations", [&](const Node& node) { experiment_.allocations = texts(node); }},
        {"override", [&](const Node& node) { read_overrides(node); }},
        {"command", [](const Node&) {}},
    };
    if (const auto reader = own.find(key); reader != own.end()) {
      reader->second(value);
    } else {
      check_name(key, value, names_of_keys(own));
      read_setting(key, value, experiment_.settings);
    }
  }

  static std::vector<std::string> names_of_keys(const std::map<std::string, Read>& own) {
    std::vector<std::string> names;
    for (const auto& [name, reader] : own) {
      names.push_back(name);
    }
    return names;
  }

  static std::string line_of(const Node& node) {
    const auto& text = node.text();
    if (text.empty() || text.find_first_of("\n\r") != std::string::npos) {
      throw node.error(fmt::format("found '{}', expected one line of text", text));
    }
    return text;
  }

  void read_command(const Node& node) {
    for (const auto& item : node.items()) {
      experiment_.command.push_back(line_of(item));
    }
    try {
      parameters_ = placeholders(experiment_.command);
    } catch (const Error& error) {
      throw node.error(error.what());
    }
  }

  /// The names that may be set or swept.
  std::vector<std::string> known_parameters() const {
    return experiment_.command.empty() ? run_config_names() : parameters_;
  }

  void check_name(const std::string& name, const Node& at, std::vector<std::string> also = {}) const {
    const auto known = known_parameters();
    const bool option = experiment_.command.empty() && (name.starts_with("model.") || name.starts_with("dataset."));
    if (name == "repeat") {
      throw at.error("key 'repeat' counts the repeats itself; write 'repeats: N'");
    }
    if (!option && std::find(known.begin(), known.end(), name) == known.end()) {
      also.insert(also.end(), known.begin(), known.end());
      throw at.error(fmt::format("unknown key '{}'{}", name, did_you_mean(name, also)));
    }
  }

  /// Checks one value by the type of its parameter.
  void check_value(const std::string& name, const Node& at) const {
    line_of(at);
    if (experiment_.command.empty()) {
      try {
        RunConfig scratch;
        set_field(scratch, name, at.text());
      } catch (const Error& error) {
        throw at.error(error.what());
      }
    }
  }

  /// A scalar, or `model: {name: mlp, depth: 10}`.
  void read_setting(const std::string& name, const Node& value, Settings& into) const {
    if (value.kind == Node::Kind::map && (name == "model" || name == "dataset") && experiment_.command.empty()) {
      if (value.find("name") == nullptr) {
        throw value.error(fmt::format("found no name, expected '{}: {{name: ..., ...}}'", name));
      }
      for (const auto& [option, text] : value.map) {
        read_setting(option == "name" ? name : name + "." + option, text, into);
      }
      return;
    }
    if (value.kind == Node::Kind::list) {
      throw value.error(fmt::format("found a list for '{}', expected a single value; lists stand under 'sweep:'", name));
    }
    check_value(name, value);
    into.emplace_back(name, value.text());
  }

  std::vector<std::string> axis_values(const std::string& name, const Node& value) const {
    std::vector<std::string> values;
    for (const auto& item : value.items()) {
      for (const auto& text : expand_range(item)) {
        check_value(name, scalar_node(text, item));
        values.push_back(text);
      }
    }
    if (values.empty()) {
      throw value.error(fmt::format("found no values for '{}', expected at least one", name));
    }
    return values;
  }

  void read_sweep(const Node& node) {
    for (const auto& [name, value] : node.as_map("a group of lists, such as 'epochs: [1, 20]'").map) {
      if (name == "zip") {
        read_zip(value);
      } else if (name == "exclude") {
        read_exclude(value);
      } else {
        Axis axis{{name}, {}};
        for (auto& text : swept(name, value)) {
          axis.rows.push_back({std::move(text)});
        }
        experiment_.sweep.push_back(std::move(axis));
      }
    }
  }

  /// The values of a swept parameter, which may be swept once and not be a fixed setting as well.
  std::vector<std::string> swept(const std::string& name, const Node& value) {
    check_name(name, value, {"zip", "exclude"});
    if (std::find(swept_.begin(), swept_.end(), name) != swept_.end()) {
      throw value.error(fmt::format("'{}' is swept a second time", name));
    }
    if (document_.find(name) != nullptr) {
      throw value.error(fmt::format("'{}' is swept here and has a single value on line {}", name, document_.find(name)->line));
    }
    swept_.push_back(name);
    auto values = axis_values(name, value);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end() && !zipping_) {
      throw value.error(fmt::format("'{}' has the value '{}' twice", name, *twice));
    }
    return values;
  }

  void read_zip(const Node& node) {
    const auto groups = node.kind == Node::Kind::map ? std::vector<Node>{node} : node.items();
    for (const auto& group : groups) {
      zipping_ = true;
      experiment_.sweep.push_back(zip(group));
      zipping_ = false;
    }
  }

  Axis zip(const Node& group) {
    Axis axis;
    for (const auto& [name, value] : group.as_map("lists of one length, such as '{batch: [64, 256], epochs: [1, 4]}'").map) {
      const auto values = swept(name, value);
      if (axis.names.empty()) {
        axis.rows.resize(values.size());
      } else if (values.size() != axis.rows.size()) {
        throw value.error(fmt::format("zip: found {} values of '{}', expected {} as of '{}'", values.size(), name,
                                      axis.rows.size(), axis.names.front()));
      }
      axis.names.push_back(name);
      for (std::size_t i = 0; i < values.size(); ++i) {
        axis.rows[i].push_back(values[i]);
      }
    }
    return axis;
  }

  /// Each entry is a combination; a list in it stands for any of its values.
  void read_exclude(const Node& node) {
    const auto entries = node.kind == Node::Kind::map ? std::vector<Node>{node} : node.items();
    for (const auto& entry : entries) {
      Axis drop{{}, {{}}};
      for (const auto& [name, value] : entry.as_map("a combination, such as '{epochs: 20, allocation: cpu2}'").map) {
        if (name != "allocation") {
          check_name(name, value, {"allocation"});
        }
        drop.names.push_back(name);
        drop.rows = product(drop.rows, name == "allocation" ? texts(value) : axis_values(name, value));
      }
      experiment_.exclude.push_back(std::move(drop));
    }
  }

  static std::vector<std::vector<std::string>> product(const std::vector<std::vector<std::string>>& rows,
                                                       const std::vector<std::string>& values) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& row : rows) {
      for (const auto& value : values) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    return longer;
  }

  void read_repeats(const Node& node) {
    const auto repeats = parse_integer(node.text());
    if (!repeats || *repeats < 1) {
      throw node.error(fmt::format("repeats: found '{}', expected a whole number >=1", node.text()));
    }
    experiment_.repeats = *repeats;
  }

  void read_overrides(const Node& node) {
    for (const auto& [allocation, settings] : node.as_map("settings by allocation, such as 'cpu2: {batch: 64}'").map) {
      auto& into = experiment_.overrides[allocation];
      for (const auto& [name, value] : settings.as_map("settings, such as '{batch: 64}'").map) {
        check_name(name, value);
        read_setting(name, value, into);
      }
    }
  }

  /// An override of a swept parameter would make several points the same.
  void check_overrides() const {
    for (const auto& [allocation, settings] : experiment_.overrides) {
      for (const auto& [name, value] : settings) {
        if (std::find(swept_.begin(), swept_.end(), name) != swept_.end()) {
          throw Error(document_.file, document_.find("override")->line,
                      fmt::format("override: '{}' is swept; use 'exclude:' to drop values on '{}'", name, allocation));
        }
      }
    }
  }

  /// Every placeholder needs a value from somewhere.
  void check_placeholders() const {
    for (const auto& name : parameters_) {
      const bool given = std::find(given_placeholders.begin(), given_placeholders.end(), name) != given_placeholders.end();
      const bool swept = std::find(swept_.begin(), swept_.end(), name) != swept_.end();
      if (!given && !swept && find_setting(experiment_.settings, name) == nullptr) {
        throw document_.find("command")->error(
            fmt::format("command: nothing gives a value to {{{}}}; add '{}: ...'", name, name));
      }
    }
  }

  const Node& document_;
  Experiment experiment_;
  std::vector<std::string> parameters_;  ///< Placeholders of the command.
  std::vector<std::string> swept_;
  bool zipping_ = false;
};

}  // namespace

Experiment experiment_from(yaml::Node document, const std::vector<std::string>& sets) {
  for (const auto& text : sets) {
    set_key(document, text);
  }
  return Reader(document).read();
}

Experiment read_experiment(const std::string& path, const std::vector<std::string>& sets) {
  return experiment_from(yaml::parse_file(path), sets);
}

}  // namespace epochcast::jobs
