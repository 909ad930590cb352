#include "src/record/comparable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/base/core/text.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::record {
namespace {

std::string with_text(std::string_view word, std::string_view text) {
  return text.empty() ? std::string(word) : fmt::format("{}: {}", word, text);
}

void drop_optimizer_options(run::ParameterValues& parameters) {
  std::erase_if(parameters,
                [](const auto& parameter) { return parameter.first.starts_with("optimizer."); });
}

/// {LibTorch: 2.11.0} of "LibTorch 2.11.0, AVX2", by the first machine.
std::map<std::string, std::string> versions_of(const Record& record) {
  std::map<std::string, std::string> versions;
  if (record.machines.empty()) {
    return versions;
  }
  for (const auto& part : split(record.machines.front().libraries.view(), ',')) {
    const std::string library(trim(part));
    if (const auto space = library.rfind(' '); space != std::string::npos) {
      versions[library.substr(0, space)] = library.substr(space + 1);
    }
  }
  return versions;
}

}  // namespace

std::string fault_of(const Record& record) {
  const auto outcome = outcome_of(record.header);
  if (outcome != run::Outcome::complete) {
    return with_text(
        outcome == run::Outcome::running ? "not finished" : record.header.outcome.view(),
        record.header.outcome_text.view());
  }
  return fault_of_attempt(record);
}

std::string fault_of_attempt(const Record& record) {
  const auto& header = record.header;
  if (!header.tainted.view().empty()) {
    return with_text("tainted", header.tainted.view());
  }
  if (!header.resumed_from.view().empty()) {
    return fmt::format("resumed from {}: its epochs ran in more than one attempt",
                       header.resumed_from.view());
  }
  if (header.restart > 0) {
    return fmt::format("requeued {} times: another start, perhaps another node", header.restart);
  }
  return "";
}

ParameterNames names_of(std::initializer_list<run::ParameterRole> concerns) {
  auto names = run::names_of_roles(concerns);
  if (std::ranges::find(concerns, run::ParameterRole::place) != concerns.end()) {
    names.insert("taken_as");
  }
  return names;
}

run::ParameterValues parameters_without(const Record& record, const ParameterNames& free) {
  static const auto observed = names_of({run::ParameterRole::observation});
  run::ParameterValues parameters;
  for (const auto& row : record.parameters) {
    if (row.name.view() == "deterministic" && row.value.view() == "false") {
      continue;  // as in records from before the option existed
    }
    if (!free.contains(row.name.view()) && !observed.contains(row.name.view())) {
      parameters[row.name.str()] = row.value.str();
    }
  }
  return parameters;
}

run::ParameterValues effective_parameters(const Record& record, ParameterNames free) {
  if (!infers(record)) {
    return parameters_without(record, free);
  }
  free.merge(names_of({run::ParameterRole::update, run::ParameterRole::learning,
                       run::ParameterRole::evaluation, run::ParameterRole::target}));
  auto parameters = parameters_without(record, free);
  drop_optimizer_options(parameters);
  return parameters;
}

run::ParameterValues epoch_parameters(const Record& record) {
  auto parameters = effective_parameters(
      record, names_of({run::ParameterRole::learning, run::ParameterRole::target,
                        run::ParameterRole::length, run::ParameterRole::repeat,
                        run::ParameterRole::place}));
  drop_optimizer_options(parameters);
  return parameters;
}

run::ParameterValues step_parameters(const Record& record) {
  auto parameters = epoch_parameters(record);
  for (const auto& name : names_of({run::ParameterRole::evaluation})) {
    parameters.erase(name);
  }
  return parameters;
}

std::string different_libraries(const Record& a, const Record& b) {
  const auto versions = versions_of(a);
  std::vector<std::string> parts;
  for (const auto& [name, version] : versions_of(b)) {
    const auto found = versions.find(name);
    if (found != versions.end() && found->second != version) {
      parts.push_back(fmt::format("{} {} and {}", name, found->second, version));
    }
  }
  return join(parts, ", ");
}

std::string difference(const run::ParameterValues& own, const run::ParameterValues& common,
                       std::string_view advice) {
  run::ParameterValues names = own;
  names.insert(common.begin(), common.end());
  const auto value = [](const run::ParameterValues& parameters, const std::string& name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "nothing" : found->second;
  };
  std::vector<std::string> parts;
  for (const auto& [name, unused] : names) {
    if (value(own, name) != value(common, name)) {
      parts.push_back(fmt::format("{}={}, not {}", name, value(own, name), value(common, name)));
    }
  }
  return fmt::format("different parameters: {} ({})", join(parts, "; "), advice);
}

}  // namespace epochcast::record
