#include "analysis/comparable.hpp"

#include <fmt/format.h>

#include "src/core/text.hpp"

namespace epochcast {

std::string fault_of(const Record& record) {
  const auto& header = record.header;
  const auto outcome = header.outcome.str();
  const auto with_text = [](std::string_view word, std::string_view text) {
    return text.empty() ? std::string(word) : fmt::format("{}: {}", word, text);
  };
  if (outcome != "complete") {
    return with_text(outcome == "running" ? "not finished" : outcome, header.outcome_text.view());
  }
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

Parameters parameters_without(const Record& record,
                              const std::set<std::string, std::less<>>& free) {
  Parameters parameters;
  for (const auto& row : record.parameters) {
    if (!free.contains(row.name.view())) {
      parameters[row.name.str()] = row.value.str();
    }
  }
  return parameters;
}

std::string difference(const Parameters& own, const Parameters& common) {
  Parameters names = own;
  names.insert(common.begin(), common.end());
  const auto value = [](const Parameters& parameters, const std::string& name) {
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
