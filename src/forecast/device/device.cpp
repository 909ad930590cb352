#include "src/forecast/device/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/config/yaml.hpp"
#include "src/base/core/install.hpp"
#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::device {
namespace {

double positive_number(const run::yaml::Node& node) {
  const auto value = parse_double(node.text());
  if (!value || !(*value > 0)) {
    throw node.error(fmt::format("found '{}', expected a number above 0", node.text()));
  }
  return *value;
}

bool yes_or_no(const run::yaml::Node& node) {
  bool value = false;
  try {
    from_text(node.text(), value);
  } catch (const Error& error) {
    throw node.error(error.what());
  }
  return value;
}

[[noreturn]] void refuse_key(const run::yaml::Node& node, const std::string& key,
                             const std::vector<std::string>& known) {
  throw node.error(fmt::format("unknown key '{}'{}", key, did_you_mean(key, known)));
}

/// `16.4`, or `{value: 16.4, source: ..., checked: false}`.
Figure figure_from(const run::yaml::Node& node, const std::string& source) {
  Figure figure{.source = source};
  if (node.kind == run::yaml::Node::Kind::scalar) {
    figure.value = positive_number(node);
    return figure;
  }
  for (const auto& [key, value] : node.as_map("a number, or value, source and checked").map) {
    if (key == "value") {
      figure.value = positive_number(value);
    } else if (key == "source") {
      figure.source = value.text();
    } else if (key == "checked") {
      figure.checked = yes_or_no(value);
    } else {
      refuse_key(value, key, {"value", "source", "checked"});
    }
  }
  if (!figure.known()) {
    throw node.error("found no value");
  }
  return figure;
}

void read_figures(const run::yaml::Node& node, const std::string& source, DeviceFigures& figures) {
  for (const auto& [key, value] : node.as_map("figures with their names").map) {
    std::vector<std::string> known;
    bool found = false;
    for_each_field<DeviceFigures>([&](const auto& field) {
      known.emplace_back(field.name);
      if (field.name == key) {
        figures.*field.member = figure_from(value, source);
        found = true;
      }
    });
    if (!found) {
      refuse_key(value, key, known);
    }
  }
}

std::vector<std::string> texts_of(const run::yaml::Node& node) {
  std::vector<std::string> texts;
  for (const auto& item : node.items()) {
    texts.push_back(item.text());
  }
  return texts;
}

}  // namespace

std::filesystem::path device_database_folder() {
  return installed_data("devices", "src/forecast/device/database");
}

Device read_device(const std::filesystem::path& path) {
  const auto document = run::yaml::parse_file(path.string());
  Device device{.name = path.stem().string()};
  const auto* source = document.as_map("a device").find("source");
  for (const auto& [key, value] : document.map) {
    if (key == "label") {
      device.label = value.text();
    } else if (key == "names") {
      device.names = texts_of(value);
    } else if (key == "types") {
      device.types = texts_of(value);
    } else if (key == "architecture") {
      device.architecture = value.text();
    } else if (key == "assumed") {
      device.assumed = value.text();
    } else if (key == "memory_sizes_gb") {
      for (const auto& item : value.items()) {
        device.memory_sizes_gb.push_back(positive_number(item));
      }
    } else if (key == "figures") {
      read_figures(value, source == nullptr ? "" : source->text(), device.figures);
    } else if (key != "source") {
      refuse_key(value, key,
                 {"label", "names", "types", "architecture", "assumed", "memory_sizes_gb", "source",
                  "figures"});
    }
  }
  for_each_field<DeviceFigures>([&](const auto& field) {
    const Figure& figure = device.figures.*field.member;
    if (figure.known() && figure.source.empty()) {
      throw document.error(fmt::format("{} has no source", field.name));
    }
  });
  return device;
}

std::vector<Device> read_device_database(const std::filesystem::path& folder) {
  std::vector<Device> devices;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") {
      devices.push_back(read_device(entry.path()));
    }
  }
  std::sort(devices.begin(), devices.end(),
            [](const Device& a, const Device& b) { return a.name < b.name; });
  return devices;
}

const Device& find_device(const std::vector<Device>& database, std::string_view name) {
  std::vector<std::string> known;
  for (const auto& device : database) {
    if (device.name == name) {
      return device;
    }
    known.push_back(device.name);
  }
  throw Error(fmt::format("unknown device '{}'{}", name, did_you_mean(name, known)));
}

std::vector<std::string> unchecked_figures(const Device& device) {
  std::vector<std::string> names;
  for_each_field<DeviceFigures>([&](const auto& field) {
    if (!(device.figures.*field.member).checked) {
      names.emplace_back(field.name);
    }
  });
  return names;
}

bool is_precision(std::string_view text) {
  const auto known = {"fp32", "tf32", "fp16", "bf16", "fp64"};
  return text.empty() || std::any_of(known.begin(), known.end(), [&](std::string_view name) {
           return text == name || (text.starts_with(name) && text[name.size()] == '+');
         });
}

bool uses_tf32(const Device& device, std::string_view precision) {
  return precision.find("tf32") != std::string_view::npos ||
         (precision.empty() && device.architecture.starts_with("sm_"));
}

Peak peak_for(const Device& device, std::string_view precision) {
  const auto& figures = device.figures;
  if (uses_tf32(device, precision) && figures.tf32_tflops.known()) {
    return {"tf32", figures.tf32_tflops};
  }
  if (precision.starts_with("bf16")) {
    return {"bf16", figures.bf16_tensor_tflops};
  }
  if (precision.starts_with("fp16")) {
    return {"fp16",
            figures.fp16_tensor_tflops.known() ? figures.fp16_tensor_tflops : figures.fp16_tflops};
  }
  if (precision.starts_with("fp64")) {
    return {"fp64", figures.fp64_tflops};
  }
  return {"fp32", figures.fp32_tflops};
}

}  // namespace epochcast::device
