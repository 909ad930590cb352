#include "analysis/comparable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/recorded_step.hpp"
#include "analysis/run_facts.hpp"
#include "src/core/text.hpp"

namespace epochcast {
namespace {

std::string with_text(std::string_view word, std::string_view text) {
  return text.empty() ? std::string(word) : fmt::format("{}: {}", word, text);
}

void drop_optimizer_options(ParameterValues& parameters) {
  std::erase_if(parameters,
                [](const auto& parameter) { return parameter.first.starts_with("optimizer."); });
}

}  // namespace

std::string fault_of(const Record& record) {
  const auto outcome = record.header.outcome.view();
  if (outcome != "complete") {
    return with_text(outcome == "running" ? "not finished" : outcome,
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

std::string fault_of_step(const Record& record) {
  if (!parse_double(parameter(record, "batch"))) {
    return "says no batch";
  }
  if (ran_out_of_memory(record)) {
    return "";
  }
  auto own = fault_of(record);
  return own.empty() && !recorded_step(record) ? "no step of it was timed" : own;
}

ParameterNames names_of(std::initializer_list<Concern> concerns) {
  auto names = fields_of(concerns);
  if (std::ranges::find(concerns, Concern::place) != concerns.end()) {
    names.insert("taken_as");
  }
  return names;
}

ParameterValues parameters_without(const Record& record, const ParameterNames& free) {
  ParameterValues parameters;
  for (const auto& row : record.parameters) {
    if (!free.contains(row.name.view())) {
      parameters[row.name.str()] = row.value.str();
    }
  }
  return parameters;
}

ParameterValues effective_parameters(const Record& record, ParameterNames free) {
  if (task_of(record) != "infer") {
    return parameters_without(record, free);
  }
  free.merge(names_of({Concern::update, Concern::learning, Concern::evaluation, Concern::target}));
  auto parameters = parameters_without(record, free);
  drop_optimizer_options(parameters);
  return parameters;
}

ParameterValues epoch_parameters(const Record& record) {
  auto parameters =
      effective_parameters(record, names_of({Concern::learning, Concern::target, Concern::length,
                                             Concern::repeat, Concern::place}));
  drop_optimizer_options(parameters);
  return parameters;
}

ParameterValues step_parameters(const Record& record) {
  auto parameters = epoch_parameters(record);
  for (const auto& name : names_of({Concern::evaluation})) {
    parameters.erase(name);
  }
  return parameters;
}

std::string difference(const ParameterValues& own, const ParameterValues& common) {
  ParameterValues names = own;
  names.insert(common.begin(), common.end());
  const auto value = [](const ParameterValues& parameters, const std::string& name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? "nothing" : found->second;
  };
  std::vector<std::string> parts;
  for (const auto& [name, unused] : names) {
    if (value(own, name) != value(common, name)) {
      parts.push_back(fmt::format("{}={}, not {}", name, value(own, name), value(common, name)));
    }
  }
  return "different parameters: " + join(parts, "; ") + " (--by or --filter tells them apart)";
}

}  // namespace epochcast
