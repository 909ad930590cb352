#include <fmt/format.h>

#include "src/base/core/text.hpp"
#include "src/forecast/device/device.hpp"

namespace epochcast::device {
namespace {

/// The text in double quotes, in which YAML accepts the same escapes as JSON.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

template <class Value, class Text>
std::string yaml_list(const std::vector<Value>& values, Text text) {
  std::vector<std::string> texts;
  for (const auto& value : values) {
    texts.push_back(text(value));
  }
  return "[" + join(texts, ", ") + "]";
}

}  // namespace

std::string device_yaml(const Device& device, const std::string& heading) {
  auto text = fmt::format("# {}\nlabel: {}\n", heading.substr(0, heading.find('\n')),
                          in_quotes(device.label));
  text +=
      "names: " + yaml_list(device.names, [](const auto& name) { return in_quotes(name); }) + "\n";
  text +=
      "types: " + yaml_list(device.types, [](const auto& type) { return in_quotes(type); }) + "\n";
  if (!device.architecture.empty()) {
    text += "architecture: " + in_quotes(device.architecture) + "\n";
  }
  if (!device.memory_sizes_gb.empty()) {
    text += "memory_sizes_gb: " + yaml_list(device.memory_sizes_gb, format_shortest) + "\n";
  }
  if (!device.assumed.empty()) {
    text += "assumed: " + in_quotes(device.assumed) + "\n";
  }
  text += "figures:\n";
  for_each_field<DeviceFigures>([&](const auto& field) {
    const Figure& figure = device.figures.*field.member;
    if (figure.known()) {
      text += fmt::format("  {}: {{value: {}, checked: {}, source: {}}}\n", field.name,
                          format_shortest(figure.value), figure.checked, in_quotes(figure.source));
    }
  });
  return text;
}

}  // namespace epochcast::device
