#include "src/record/secrets.hpp"

#include "src/base/core/secrets.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::record {
namespace {

/// One variable of the environment: NAME=VALUE.
std::string shown_variable(std::string_view line) {
  const auto value = line.find('=') + 1;  // 0: the rest of a value of several lines
  return value == 0 ? without_secrets(line)
                    : std::string(line.substr(0, value)) +
                          without_secrets(line.substr(0, value - 1), line.substr(value));
}

}  // namespace

void hide_secrets(RecordHeader& header) {
  header.outcome_text = without_secrets(header.outcome_text.view());
  header.note = without_secrets(header.note.view());
}

void hide_secrets(ParameterRow& parameter) {
  const auto shown = without_secrets(parameter.name.view(), parameter.value.view());
  if (shown != parameter.value.view()) {
    parameter.value = shown;
    parameter.type = "text";
  }
}

void hide_secrets(Record& record) {
  hide_secrets(record.header);
  for (auto& parameter : record.parameters) {
    hide_secrets(parameter);
  }
  auto lines = split(record.modules, '\n');
  for (auto& line : lines) {
    line = shown_variable(line);
  }
  record.modules = join(lines, "\n");
}

}  // namespace epochcast::record
