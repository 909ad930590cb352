#include "jobs/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "jobs/cluster/notify.hpp"
#include "jobs/cluster/retry.hpp"
#include "jobs/experiment/program_keys.hpp"
#include "jobs/experiment/settings.hpp"
#include "jobs/experiment/vocabulary.hpp"
#include "src/base/cli/key_table.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::jobs {
namespace {

using run::yaml::Node;

std::vector<std::string> texts(const Node& node) {
  std::vector<std::string> values;
  for (const auto& item : node.items()) {
    values.push_back(item.text());
  }
  return values;
}

/// Reads one experiment.
class ExperimentReader {
 public:
  explicit ExperimentReader(const Node& document) : document_(document) {
    document.as_map("an experiment: a group of keys");
    experiment_.file = document.file;
    read_program();
  }

  Experiment read() {
    for (const auto& [key, value] : document_.map) {
      read_key(key, value);
    }
    if (experiment_.name.empty()) {
      throw Error(document_.file, 1, "found no name, expected 'name: ...'");
    }
    check_placeholders();
    check_lengths();
    check_overrides();
    return experiment_;
  }

 private:
  using Read = std::function<void(const Node&)>;

  struct Key {
    cli::KeyRow description;
    void (ExperimentReader::*read)(const Node&);
  };

  void read_key(const std::string& key, const Node& value) {
    for (const auto& own : keys()) {
      if (own.description.name == key) {
        return (this->*own.read)(value);
      }
    }
    if (find_program_key(key) != nullptr) {
      return;  // the constructor has read it
    }
    check_name(key, value, names_of_keys());
    vocabulary_.read_setting(key, value, experiment_.settings);
  }

  /// Every key in `node` and below.
  static void collect_keys(const Node& node, std::vector<std::string>& keys) {
    for (const auto& [key, value] : node.map) {
      keys.push_back(key);
      collect_keys(value, keys);
    }
    for (const auto& item : node.list) {
      collect_keys(item, keys);
    }
  }

  /// A key that no placeholder has, beside a similar placeholder without a value: the typing error
  /// is that of the placeholder.
  void check_name(const std::string& name, const Node& at,
                  const std::vector<std::string>& also) const {
    const bool is_used = std::ranges::find(uses_, name, &PlaceholderUse::name) != uses_.end();
    if (experiment_.program.is_given() && !is_used) {
      auto valued = given_placeholders();
      collect_keys(document_, valued);
      for (const auto& use : uses_) {
        const auto near = suggestion(use.name, {name});
        if (!near.empty() && std::ranges::find(valued, use.name) == valued.end()) {
          throw use.where.error(fmt::format("{}: {{{}}} has no value{}", use.key, use.name, near));
        }
      }
    }
    vocabulary_.check_name(name, at, also);
  }

  static std::vector<std::string> names_of_keys() {
    std::vector<std::string> names;
    for (const auto& key : keys()) {
      names.push_back(key.description.name);
    }
    for (const auto& key : program_keys()) {
      names.push_back(key.description.name);
    }
    std::ranges::sort(names);
    return names;
  }

  void read_name(const Node& node) { experiment_.name = one_line(node); }
  void read_allocations(const Node& node) { experiment_.allocations = texts(node); }

  /// First of all, because the placeholders are the names of the settings.
  void read_program() {
    const bool is_given = document_.find("command") != nullptr;
    std::vector<std::string> names;
    for (const auto& [key, value] : document_.map) {
      const auto* own = find_program_key(key);
      if (own == nullptr) {
        continue;
      }
      if (!is_given) {
        throw value.error(fmt::format(
            "{}: there is no 'command:'; this key describes a program of your own", key));
      }
      own->read(value, experiment_.program);
      for (auto& use : placeholder_uses(key, value)) {
        if (std::ranges::find(names, use.name) == names.end()) {
          names.push_back(use.name);
        }
        uses_.push_back(std::move(use));
      }
    }
    if (is_given) {
      vocabulary_ = SettingSchema(std::move(names));
    }
  }

  void read_sweep(const Node& node) {
    for (const auto& [name, value] :
         node.as_map("a group of lists, such as 'epochs: [1, 20]'").map) {
      if (name == "zip") {
        read_zip(value);
      } else if (name == "exclude") {
        read_exclude(value);
      } else {
        Axis axis{{name}, {}};
        auto values = swept(name, value);
        require_distinct(name, values, value);
        for (auto& text : values) {
          axis.rows.push_back({std::move(text)});
        }
        experiment_.sweep.push_back(std::move(axis));
      }
    }
  }

  /// The values of a swept parameter. It must not be swept twice or be a fixed setting too.
  std::vector<std::string> swept(const std::string& name, const Node& value) {
    check_name(name, value, {"zip", "exclude"});
    if (std::find(swept_.begin(), swept_.end(), name) != swept_.end()) {
      throw value.error(fmt::format("'{}' is swept twice", name));
    }
    if (document_.find(name) != nullptr) {
      throw value.error(fmt::format("'{}' is swept here and has a single value on line {}", name,
                                    document_.find(name)->line));
    }
    swept_.push_back(name);
    return vocabulary_.read_values(name, value);
  }

  static void require_distinct(const std::string& name, std::vector<std::string> values,
                               const Node& at) {
    std::ranges::sort(values);
    if (const auto twice = std::ranges::adjacent_find(values); twice != values.end()) {
      throw at.error(fmt::format("'{}' has the value '{}' twice", name, *twice));
    }
  }

  void read_zip(const Node& node) {
    const auto groups = node.kind == Node::Kind::map ? std::vector<Node>{node} : node.items();
    for (const auto& group : groups) {
      experiment_.sweep.push_back(zip(group));
    }
  }

  Axis zip(const Node& group) {
    Axis axis;
    for (const auto& [name, value] :
         group.as_map("lists of one length, such as '{batch: [64, 256], epochs: [1, 4]}'").map) {
      const auto values = swept(name, value);
      if (axis.names.empty()) {
        axis.rows.resize(values.size());
      } else if (values.size() != axis.rows.size()) {
        throw value.error(fmt::format("zip: found {} values of '{}', expected {} as of '{}'",
                                      values.size(), name, axis.rows.size(), axis.names.front()));
      }
      axis.names.push_back(name);
      for (std::size_t i = 0; i < values.size(); ++i) {
        axis.rows[i].push_back(values[i]);
      }
    }
    return axis;
  }

  /// Each entry is a combination; a list in it matches any of its values.
  void read_exclude(const Node& node) {
    const auto entries = node.kind == Node::Kind::map ? std::vector<Node>{node} : node.items();
    for (const auto& entry : entries) {
      Axis drop{{}, {{}}};
      for (const auto& [name, value] :
           entry.as_map("a combination, such as '{epochs: 20, allocation: cpu2}'").map) {
        if (name != "allocation") {
          vocabulary_.check_name(name, value, {"allocation"});
        }
        drop.names.push_back(name);
        drop.rows = product(
            drop.rows, name == "allocation" ? texts(value) : vocabulary_.read_values(name, value));
      }
      experiment_.exclude.push_back(std::move(drop));
    }
  }

  static std::vector<std::vector<std::string>> product(
      const std::vector<std::vector<std::string>>& rows, const std::vector<std::string>& values) {
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
      throw node.error(
          fmt::format("repeats: found '{}', expected a whole number >=1", node.text()));
    }
    experiment_.repeats = *repeats;
  }

  void read_retry_rules(const Node& node) {
    Retry retry;
    read_retry(node, retry);
    const auto& program = experiment_.program;
    if (retry.rule("timeout").submits() && program.is_given() && program.resume.arguments.empty()) {
      throw node.error("retry: each attempt would start over; add 'resume:'");
    }
    experiment_.rules.retry = node;
  }

  void read_pack_rule(const Node& node) {
    Pack pack;
    read_pack(node, pack);
    experiment_.rules.pack = node;
  }

  void read_notify_rule(const Node& node) {
    Notify notify;
    read_notify(node, notify);
    experiment_.rules.notify = node;
  }

  void read_overrides(const Node& node) {
    for (const auto& [allocation, settings] :
         node.as_map("settings by allocation, such as 'cpu2: {batch: 64}'").map) {
      auto& into = experiment_.overrides[allocation];
      for (const auto& [name, value] : settings.as_map("settings, such as '{batch: 64}'").map) {
        vocabulary_.check_name(name, value);
        vocabulary_.read_setting(name, value, into);
      }
    }
  }

  /// An override of a swept parameter would make several points equal.
  void check_overrides() const {
    for (const auto& [allocation, settings] : experiment_.overrides) {
      for (const auto& [name, value] : settings) {
        if (std::find(swept_.begin(), swept_.end(), name) != swept_.end()) {
          throw Error(document_.file, document_.find("override")->line,
                      fmt::format("override: '{}' is swept; use 'exclude:' to drop values on '{}'",
                                  name, allocation));
        }
      }
    }
  }

  /// Every placeholder needs a value from somewhere.
  void check_placeholders() const {
    auto known = given_placeholders();
    known.insert(known.end(), swept_.begin(), swept_.end());
    for (const auto& [name, value] : experiment_.settings) {
      known.push_back(name);
    }
    for (const auto& use : uses_) {
      if (std::ranges::find(known, use.name) == known.end()) {
        const auto near = suggestion(use.name, known);
        throw use.where.error(
            fmt::format("{}: {{{}}} has no value{}", use.key, use.name,
                        near.empty() ? fmt::format("; add '{}: ...'", use.name) : near));
      }
    }
  }

  /// Without a placeholder, all values of such a list would run the same.
  void check_lengths() const {
    for (const auto& row : work_keys()) {
      const auto& name = row.name;
      const bool used = std::ranges::find(uses_, name, &PlaceholderUse::name) != uses_.end();
      if (experiment_.program.is_given() && !used &&
          std::ranges::find(swept_, name) != swept_.end()) {
        throw document_.find("command")->error(
            fmt::format("command: '{}' is swept, but {{{}}} is not in the command", name, name));
      }
    }
  }

  const Node& document_;
  Experiment experiment_;
  SettingSchema vocabulary_;
  std::vector<PlaceholderUse> uses_;
  std::vector<std::string> swept_;

 public:
  /// The keys of an experiment besides the settings of its runs.
  static const std::vector<Key>& keys() {
    static const std::vector<Key> all{
        {{"name", "text", "", "1", "Name of the experiment; required"},
         &ExperimentReader::read_name},
        {{"sweep", "group of lists", "", "1",
          "Settings with several values; every combination becomes a point. A value may be a "
          "range: "
          "2..13, or 16..256 x2"},
         &ExperimentReader::read_sweep},
        {{"zip", "group of lists, or a list of groups", "", "1",
          "Settings whose lists have one length and change together"},
         &ExperimentReader::read_zip},
        {{"exclude", "combination, or a list of them", "", "1",
          "Combinations to leave out, such as {epochs: 20, allocation: cpu2}; a list stands for "
          "any "
          "of its values"},
         &ExperimentReader::read_exclude},
        {{"repeats", "integer", "1", "1", "Number of runs of each point; repeat r uses seed + r"},
         &ExperimentReader::read_repeats},
        {{"allocations", "list", "all of the cluster", "1", "Allocations to use"},
         &ExperimentReader::read_allocations},
        {{"override", "settings by allocation", "", "1",
          "Settings that differ on an allocation, such as cpu2: {batch: 64}"},
         &ExperimentReader::read_overrides},
        {retry_keys().front(), &ExperimentReader::read_retry_rules},
        {{"pack", "group", "of the profile", "1",
          "Several points in one job: keys as in a profile"},
         &ExperimentReader::read_pack_rule},
        {{"notify", "group", "of the profile", "1",
          "Who is told when it has ended: keys as in a profile"},
         &ExperimentReader::read_notify_rule}};
    return all;
  }
};

}  // namespace

const std::vector<std::string>& given_placeholders() {
  static const std::vector<std::string> names{"point", "allocation", "repeat", "cpus",  "gpus",
                                              "nodes", "tasks",      "work",   "device"};
  return names;
}

std::vector<cli::KeyRow> experiment_keys() {
  std::vector<cli::KeyRow> keys;
  for (const auto& key : ExperimentReader::keys()) {
    keys.push_back(key.description);
  }
  auto rules = retry_keys();
  keys.insert(keys.end(), std::next(rules.begin()), rules.end());
  for (const auto& key : program_keys()) {
    keys.push_back(key.description);
  }
  return keys;
}

Experiment experiment_from(run::yaml::Node document, const std::vector<std::string>& sets) {
  for (const auto& text : sets) {
    set_key(document, text);
  }
  return ExperimentReader(document).read();
}

Experiment read_experiment(const std::string& path, const std::vector<std::string>& sets) {
  return experiment_from(run::yaml::parse_file(path), sets);
}

}  // namespace epochcast::jobs
