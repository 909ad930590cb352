#include "jobs/experiment/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "jobs/experiment/model_options.hpp"
#include "jobs/experiment/program.hpp"
#include "jobs/experiment/vocabulary.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"
#include "src/record/run/serving.hpp"

namespace epochcast::jobs {
namespace {

/// `text` as part of a file name: characters other than letters, digits and "_+-" become "-". The
/// hash after the readable part keeps the ids different.
std::string slug(std::string_view text) {
  constexpr std::size_t longest = 32;
  std::string word;
  for (const char c : text.substr(0, longest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '+';
    word += plain ? c : '-';
  }
  return word;
}

/// 50 bits as ten letters and digits: the probability of two equal ones among 100,000 points is
/// 1 in 200,000.
std::string short_hash(std::string_view text) {
  constexpr std::string_view digits = "abcdefghijkmnpqrstuvwxyz23456789";
  auto bits = fnv1a(text);
  bits ^= bits >> 50;
  std::string word;
  for (int i = 0; i < 10; ++i) {
    word += digits[bits & 31U];
    bits >>= 5U;
  }
  return word;
}

/// The identity of a point: all that differs from the defaults, so that a new parameter in a later
/// version does not change the id.
std::string identity(const Point& point) {
  std::string text = "allocation=" + point.allocation;
  for (const auto& parameter : point.parameters) {
    text += "\n" + parameter.name + "=" + parameter.value;
  }
  for (const auto& word : point.program.command) {
    text += "\n" + word;
  }
  if (!point.program.folder.empty()) {
    text += "\nfolder=" + point.program.folder;
  }
  for (const auto& variable : point.program.environment) {
    text += "\nenvironment:" + variable.name + "=" + variable.value.value_or("");
  }
  return text;
}

std::string id_of(const Point& point, const std::string& what, const std::string& epochs,
                  std::int64_t repeat) {
  return fmt::format("{}.{}{}.r{}-{}", slug(what), slug(point.allocation),
                     epochs.empty() ? "" : ".e" + slug(epochs), repeat,
                     short_hash(identity(point)));
}

/// Whether `settings` (and the allocation) match one of the rows of `drop`.
bool matches(const Axis& drop, const Settings& settings, const std::string& allocation) {
  const auto value = [&](const std::string& name) -> const std::string* {
    return name == "allocation" ? &allocation : find_setting(settings, name);
  };
  return std::any_of(drop.rows.begin(), drop.rows.end(), [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* found = value(drop.names[i]);
      if (found == nullptr || *found != row[i]) {
        return false;
      }
    }
    return true;
  });
}

/// The type of a placeholder's value, which is not declared.
std::string guess_type(const std::string& text) {
  if (parse_integer(text)) {
    return "integer";
  }
  return parse_double(text) ? "number" : "text";
}

/// Makes a path absolute: the job has another working directory than the user.
std::string absolute_paths(const std::string& text) {
  if (text.starts_with(shipped_mark)) {
    return text;
  }
  auto parts = split(text, ':');
  for (auto& part : parts) {
    if (!part.empty()) {
      part = absolute_path(part).lexically_normal();
    }
  }
  return join(parts, ":");
}

/// The placeholders of a program, each once; last the work keys, which may be in none.
std::vector<std::string> names_of_values(const Program& program) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  };
  for (const auto& [key, text] : texts_of(program)) {
    for (const auto& name : placeholders(text)) {
      add(name);
    }
  }
  for (const auto& row : work_keys()) {
    add(row.name);
  }
  return names;
}

/// Gives a point of a program its id.
void name_point(Point& point, const std::string& experiment, std::int64_t repeat) {
  const auto* epochs = find_setting(point.placeholders, "epochs");
  point.id = id_of(point, experiment, epochs == nullptr ? "" : *epochs, repeat);
  point.placeholders.emplace_back("point", point.id);
}

class Expansion {
 public:
  Expansion(const Experiment& experiment, const Cluster& cluster)
      : experiment_(experiment), cluster_(cluster) {
    if (experiment.program.is_given()) {
      names_of_values_ = names_of_values(experiment.program);
    } else {
      paths_ = path_parameters(installed_catalogue());
    }
  }

  std::vector<Point> run() {
    const auto sites = this->sites();
    check_count(sites.size());
    for (const auto* site : sites) {
      check_lead(*site);
      Settings settings{{"device", run::gpus_of(site->asks) > 0 ? "cuda" : "cpu"}};
      settings.insert(settings.end(), experiment_.settings.begin(), experiment_.settings.end());
      if (const auto found = experiment_.overrides.find(site->name);
          found != experiment_.overrides.end()) {
        settings.insert(settings.end(), found->second.begin(), found->second.end());
      }
      sweep(*site, settings, 0);
    }
    check_unique();
    return std::move(points_);
  }

 private:
  void check_count(std::size_t sites) const {
    // The product may be larger than any integer.
    auto count = static_cast<double>(sites) * static_cast<double>(experiment_.repeats);
    for (const auto& axis : experiment_.sweep) {
      count *= static_cast<double>(axis.rows.size());
    }
    if (count > static_cast<double>(most_points)) {
      throw Error(fmt::format(
          "{}: has {} points (sweep x repeats x allocations), expected at most {}; shorten "
          "the lists under 'sweep:', or set fewer 'repeats:' or 'allocations:'",
          experiment_.file,
          count < 1e15 ? fmt::format("{:.0f}", count) : fmt::format("{:.0e}", count), most_points));
    }
  }

  std::vector<const AllocationProfile*> sites() const {
    std::vector<const AllocationProfile*> sites;
    for (const auto& name : names()) {
      sites.push_back(find_profile(cluster_, name));
      if (sites.back() == nullptr) {
        throw Error(fmt::format("{}: allocation '{}' is not in cluster '{}'{}", experiment_.file,
                                name, cluster_.name, did_you_mean(name, cluster_names())));
      }
    }
    for (const auto& [name, settings] : experiment_.overrides) {
      if (find_profile(cluster_, name) == nullptr) {
        throw Error(fmt::format("{}: override: allocation '{}' is not in cluster '{}'{}",
                                experiment_.file, name, cluster_.name,
                                did_you_mean(name, cluster_names())));
      }
    }
    return sites;
  }

  std::vector<std::string> cluster_names() const {
    std::vector<std::string> names;
    for (const auto& site : cluster_.allocations) {
      names.push_back(site.name);
    }
    return names;
  }

  std::vector<std::string> names() const {
    return experiment_.allocations.empty() ? cluster_names() : experiment_.allocations;
  }

  void sweep(const AllocationProfile& site, Settings& settings, std::size_t depth) {
    if (depth == experiment_.sweep.size()) {
      add(site, settings);
      return;
    }
    const auto& axis = experiment_.sweep[depth];
    for (const auto& row : axis.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        settings.emplace_back(axis.names[i], row[i]);
      }
      sweep(site, settings, depth + 1);
      settings.resize(settings.size() - row.size());
    }
  }

  void add(const AllocationProfile& site, const Settings& settings) {
    const auto excluded = [&](const Axis& drop) { return matches(drop, settings, site.name); };
    if (std::any_of(experiment_.exclude.begin(), experiment_.exclude.end(), excluded)) {
      return;
    }
    for (std::int64_t repeat = 0; repeat < experiment_.repeats; ++repeat) {
      points_.push_back(experiment_.program.is_given() ? command_point(site, settings, repeat)
                                                       : trainer_point(site, settings, repeat));
    }
  }

  /// What is sent to a service is a file, or a mix that has a name.
  bool is_path(const std::string& name, const std::string& value) const {
    const bool is_mix = name == "load.mix" && value != run::LoadOptions{}.mix;
    return is_mix || std::ranges::find(paths_, name) != paths_.end();
  }

  Point trainer_point(const AllocationProfile& site, const Settings& settings,
                      std::int64_t repeat) const {
    run::RunConfig config;
    for (const auto& [name, value] : settings) {
      run::set_field(config, name, is_path(name, value) ? absolute_paths(value) : value);
    }
    config.repeat = repeat;
    try {
      run::require_options_of_task(config);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", experiment_.file, error.what()));
    }
    return point_of(config, site.name);
  }

  /// Otherwise the program would be told to stop when it starts.
  void check_lead(const AllocationProfile& site) const {
    const auto& program = experiment_.program;
    const auto lead = program.checkpoint_signal.empty() ? Seconds{} : program.checkpoint_lead;
    if (const auto time = site.asks.time; time.value > 0 && lead.value >= time.value) {
      throw Error(
          fmt::format("{}: checkpoint_lead: {} before the limit is the start of a job on '{}', "
                      "whose time is {}; "
                      "lower 'checkpoint_lead', or raise 'time' in the profile",
                      experiment_.file, to_text(lead), site.name, to_text(time)));
    }
  }

  /// The parameters of a command are the values of its placeholders, and the repeat.
  Point command_point(const AllocationProfile& site, const Settings& settings,
                      std::int64_t repeat) const {
    Point point{"", site.name, {}, experiment_.program, settings};
    const auto& asks = site.asks;
    for (const auto& [name, number] : {std::pair{"cpus", asks.cpus},
                                       {"gpus", run::gpus_of_task(asks)},
                                       {"nodes", asks.nodes},
                                       {"tasks", run::tasks_of(asks)},
                                       {"repeat", repeat}}) {
      point.placeholders.emplace_back(name, std::to_string(number));
    }
    point.placeholders.emplace_back("allocation", site.name);
    for (const auto& name : names_of_values_) {
      if (const auto* value = find_setting(point.placeholders, name);
          value != nullptr && name != "repeat") {
        point.parameters.push_back({name, *value, guess_type(*value), "1"});
      }
    }
    point.parameters.push_back({"repeat", std::to_string(repeat), "integer", "1"});
    name_point(point, experiment_.name, repeat);
    return point;
  }

  void check_unique() const {
    std::unordered_set<std::string_view> seen;
    for (const auto& point : points_) {
      if (!seen.insert(point.id).second) {
        throw Error(fmt::format(
            "{}: two points are equal ('{}'); is an allocation or a value listed twice?",
            experiment_.file, point.id));
      }
    }
  }

  const Experiment& experiment_;
  const Cluster& cluster_;
  std::vector<std::string> names_of_values_;  ///< Of a program.
  std::vector<std::string> paths_;
  std::vector<Point> points_;
};

}  // namespace

run::Task task_of(const Point& point) {
  if (point.program.is_given()) {
    return run::Task::command;
  }
  return run::stated_task(run::value_of_parameter(point.parameters, "task"));
}

Point point_of(const run::RunConfig& config, const std::string& allocation) {
  Point point{"", allocation, run::non_default_parameters(config), {}, {}};
  const auto epochs = run::task_row(config.task).has_epochs ? std::to_string(config.epochs) : "";
  point.id = id_of(point, config.model, epochs, config.repeat);
  return point;
}

Point pilot_of(const Point& point, const PilotCut& cut) {
  Point pilot = point;
  const auto& words = point.program.pilot.arguments;
  pilot.program.command.insert(pilot.program.command.end(), words.begin(), words.end());
  pilot.cut = cut;
  const auto repeat = std::ranges::find(pilot.parameters, "repeat", &run::Parameter::name);
  repeat->value = "0";
  pilot.placeholders.emplace_back("repeat", "0");
  name_point(pilot, "pilot", 0);
  return pilot;
}

std::vector<Point> expand(const Experiment& experiment, const Cluster& cluster) {
  return Expansion(experiment, cluster).run();
}

run::Parameters complete_parameters(const Point& point) {
  return point.program.is_given() ? point.parameters
                                  : run::to_parameters(run::run_config_from(point.parameters));
}

}  // namespace epochcast::jobs
