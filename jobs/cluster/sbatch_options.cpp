#include "jobs/cluster/sbatch_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/host_list.hpp"

namespace epochcast::jobs {
namespace {

/// sbatch(1). `key` is what to write in the profile; {} is the value of the option.
struct ScriptOption {
  std::string_view name;
  char letter;  ///< '-': it has none.
  std::string_view key;
};

constexpr std::array script_options{
    ScriptOption{"account", 'A', "write 'account: {}'"},
    ScriptOption{"array", 'a', "submit with 'epochcast-jobs submit --array'"},
    ScriptOption{"constraint", 'C', "write 'constraint: {}'"},
    ScriptOption{"cpus-per-gpu", '-', "write 'cpus: N', the CPUs of each task"},
    ScriptOption{"cpus-per-task", 'c', "write 'cpus: {}'"},
    ScriptOption{"exclude", 'x', ""},
    ScriptOption{"exclusive", '-', "write only 'exclusive: true'"},
    ScriptOption{"gpus", 'G',
                 "write 'gpus: N' for each task and 'gpu: TYPE', with 'gpu_flag: gpus-total'"},
    ScriptOption{"gpus-per-node", '-',
                 "write 'gpus: N' for each task or 'gpus_per_node: N' for all tasks of a node, and "
                 "'gpu: TYPE', with 'gpu_flag: gpus'"},
    ScriptOption{"gpus-per-socket", '-', "write 'gpus: N' for each task, and 'gpu: TYPE'"},
    ScriptOption{"gpus-per-task", '-', "write 'gpus: N' for each task, and 'gpu: TYPE'"},
    ScriptOption{"gres", '-',
                 "write 'gpus: N' and 'gpu: TYPE' for GPUs, 'gres: nvme:200' for other resources"},
    ScriptOption{"hint", '-', "write 'smt: on' or 'smt: off'"},
    ScriptOption{"job-name", 'J', "leave it out: the job has the name of its point"},
    ScriptOption{"mem", '-', "write 'memory: {}', or 'memory: all' for --mem=0"},
    ScriptOption{"mem-per-cpu", '-',
                 "write 'memory: SIZE', of each node, with 'memory_flag: mem-per-cpu'"},
    ScriptOption{"mem-per-gpu", '-', "write 'memory: SIZE', of each node"},
    ScriptOption{"nodes", 'N', "write 'nodes: {}'"},
    ScriptOption{"ntasks", 'n', "write 'tasks: {}'"},
    ScriptOption{"ntasks-per-gpu", '-',
                 "write 'tasks_per_node: N' and 'gpus_per_node: N', which the tasks share"},
    ScriptOption{"ntasks-per-node", '-', "write 'tasks_per_node: {}'"},
    ScriptOption{"open-mode", '-', "leave it out: attempts append to one log"},
    ScriptOption{"output", 'o', "leave it out: logs are in OUT/logs, where 'status' finds them"},
    ScriptOption{"partition", 'p', "write 'partition: {}'"},
    ScriptOption{"qos", 'q', "write 'qos: {}'"},
    ScriptOption{"signal", '-', "write 'signal_lead: 120s'"},
    ScriptOption{"tasks-per-node", '-', "write 'tasks_per_node: {}'"},
    ScriptOption{"threads-per-core", '-', "write 'smt: on' or 'smt: off'"},
    ScriptOption{"time", 't', "write 'time: 2h'"}};

constexpr std::string_view letters_without_value = "hHkOQsuvVW";

/// One option of an entry.
struct Given {
  std::string name;
  std::string value;
  std::string text;  ///< As written.
};

std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'') &&
                      value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// The option of "-Jname" or "-Qpgpu" that has a value; flags before it have none.
Given short_option(std::string_view word) {
  const auto at = word.find_first_not_of(letters_without_value, 1);
  if (at == std::string_view::npos) {
    return {"", "", std::string(word)};
  }
  const auto* row = std::ranges::find(script_options, word[at], &ScriptOption::letter);
  auto value = word.substr(at + 1);
  value.remove_prefix(value.starts_with('=') ? 1 : 0);
  return {row == script_options.end() ? "" : std::string(row->name), std::string(unquoted(value)),
          std::string(word)};
}

Given long_option(std::string_view word) {
  const auto equals = word.find('=');
  const auto value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
  return {std::string(word.substr(2, equals == std::string_view::npos ? equals : equals - 2)),
          std::string(unquoted(value)), std::string(word)};
}

/// The words of an entry; quotation marks keep blanks together.
std::vector<std::string> words_of_entry(std::string_view entry) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (const char c : entry) {
    if (quote == 0 && (c == ' ' || c == '\t')) {
      words.emplace_back();
      continue;
    }
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
    words.back() += c;
  }
  std::erase(words, "");
  return words;
}

/// The options of an entry. Words without a dash belong to the option before them.
std::vector<Given> options_of_entry(const std::string& entry) {
  std::vector<Given> options;
  for (const auto& word : words_of_entry(entry)) {
    if (word.size() > 1 && word.starts_with('-')) {
      options.push_back(word.starts_with("--") ? long_option(word) : short_option(word));
    } else if (options.empty()) {
      throw Error(fmt::format(
          "sbatch: found '{}', expected an option of sbatch such as --reservation=course", entry));
    } else {
      auto& option = options.back();
      option.text += " " + word;
      option.value += (option.value.empty() ? "" : " ") + std::string(unquoted(word));
    }
  }
  return options;
}

/// The row of a name, or of the beginning of one, which sbatch accepts too. nullptr: none.
const ScriptOption* row_of(const std::string& name) {
  const auto* row = std::ranges::find(script_options, name, &ScriptOption::name);
  if (row == script_options.end() && name.size() > 1) {
    row = std::ranges::find_if(script_options,
                               [&](const auto& each) { return each.name.starts_with(name); });
  }
  return row == script_options.end() ? nullptr : row;
}

bool asks_for_gpus(const std::string& gres) {
  return std::ranges::any_of(split(gres, ','), [](const std::string& item) {
    const auto name = split(item, ':');
    return !name.empty() &&
           (name[0] == "gpu" || (name[0] == "gres" && item.starts_with("gres:gpu")));
  });
}

/// Options with more values than the keys have: only a script that has them too, or a value that a
/// key can say, is in the way.
bool is_in_the_way(const ScriptOption& row, const Given& given, const AllocationProfile& site) {
  const auto& asks = site.asks;
  if (row.name == "exclude") {
    return false;
  }
  if (row.name == "gres") {
    const bool gpus_as_gres = run::gpus_of(asks) > 0 && !site.launch.gpu_flag.starts_with("gpus");
    return gpus_as_gres || !asks.gres.empty() || asks_for_gpus(given.value);
  }
  if (row.name == "exclusive") {
    return asks.exclusive || given.value.empty();
  }
  if (row.name == "hint") {
    return !asks.smt.empty() || given.value.ends_with("multithread");
  }
  return row.name != "threads-per-core" || !asks.smt.empty() || given.value == "1";
}

}  // namespace

void check_sbatch_entries(const AllocationProfile& site) {
  for (const auto& entry : site.sbatch) {
    for (const auto& given : options_of_entry(entry)) {
      const auto* row = row_of(given.name);
      if (row != nullptr && is_in_the_way(*row, given, site)) {
        throw Error(fmt::format(
            "sbatch: '{}' is an option of the script (--{}), and the last one would count without "
            "a word; {}",
            given.text, row->name,
            fmt::format(fmt::runtime(row->key), given.value.empty() ? "..." : given.value)));
      }
    }
  }
  if (site.launch.exclude == "auto") {
    std::ignore = nodes_excluded_by(site);
  }
}

std::vector<std::string> nodes_excluded_by(const AllocationProfile& site) {
  std::vector<std::string> nodes;
  for (const auto& entry : site.sbatch) {
    for (const auto& given : options_of_entry(entry)) {
      const auto* row = row_of(given.name);
      if (row == nullptr || row->name != "exclude") {
        continue;
      }
      if (given.value.find('/') != std::string::npos) {
        throw Error(fmt::format(
            "sbatch: '{}' is a file, which cannot be joined with other nodes; name them, as in "
            "--exclude=node[01-03]",
            given.text));
      }
      append(nodes, slurm::expand_host_list(given.value));
    }
  }
  return nodes;
}

}  // namespace epochcast::jobs
