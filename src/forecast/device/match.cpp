#include "src/forecast/device/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/base/core/text.hpp"

namespace epochcast::device {
namespace {

/// In lower case, without the separators between the parts of a type: "A100-40GB" equals
/// "a100_40gb".
std::string squeezed(std::string_view text) {
  auto result = to_lower(text);
  std::erase_if(result, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return result;
}

/// The name in lower case, without the vendor and the brand that drivers put before the model.
std::string gpu_model(std::string_view name) {
  auto model = to_lower(trim(name));
  for (const std::string brand : {"nvidia ", "amd ", "instinct ", "tesla ", "geforce "}) {
    if (model.starts_with(brand)) {
      model.erase(0, brand.size());
    }
  }
  return model;
}

/// Whether `model` equals `known` or begins with it as a whole word: "t4g" does not match "t4".
bool begins_with_word(const std::string& model, const std::string& known) {
  return model.starts_with(known) &&
         (model.size() == known.size() ||
          std::isalnum(static_cast<unsigned char>(model[known.size()])) == 0);
}

/// The words of a name that make it another card than the name without them: another chip, or other
/// clocks. "RTX 4070 Ti SUPER", "RTX 2080 with Max-Q Design", "RTX 3070 Laptop GPU".
std::set<std::string> variant_of(std::string model) {
  static const std::set<std::string> variants{"ti",   "super",  "d",      "sff",     "max-q",
                                              "maxq", "laptop", "mobile", "embedded"};
  std::ranges::replace_if(
      model, [](char c) { return c == '_' || c == '(' || c == ')'; }, ' ');
  std::set<std::string> found;
  for (const auto& word : split(model, ' ')) {
    if (variants.contains(word)) {
      found.insert(word);
    }
  }
  return found;
}

/// The number of characters of `model` that the longest matching name of the device covers; 0 if no
/// name matches. "rtx 2080 ti" also begins with the name of the RTX 2080, but the name of another
/// card covers more of it.
std::size_t explained(const Device& device, const std::string& model) {
  const auto is_model = [&](const std::string& type) { return squeezed(type) == squeezed(model); };
  if (device.name == model || std::any_of(device.types.begin(), device.types.end(), is_model)) {
    return model.size();
  }
  std::size_t most = 0;
  for (const auto& name : device.names) {
    const auto known = gpu_model(name);
    const bool fits = begins_with_word(model, known) && variant_of(model) == variant_of(known);
    most = fits ? std::max(most, known.size()) : most;
  }
  return most;
}

/// Whether the device is sold with this memory. A driver counts GiB and reserves some memory: "16
/// GB" is reported as 15.8e9 to 17.2e9 bytes.
bool has_memory(const Device& device, std::int64_t bytes) {
  const auto fits = [&](double gb) {
    const double ratio = static_cast<double>(bytes) / (gb * 1e9);
    return ratio > 0.85 && ratio < 1.10;
  };
  return bytes == 0 ||
         std::any_of(device.memory_sizes_gb.begin(), device.memory_sizes_gb.end(), fits);
}

bool near(double measured, const Figure& figure) {
  constexpr double tolerance = 0.03;  // the clocks of V100 SXM2 and V100S differ by 4 %
  return std::abs(measured / figure.value - 1) < tolerance;
}

using Candidates = std::vector<const Device*>;

/// The candidates whose figure is near the measured value, or all candidates if there are none: a
/// limit may have been lowered.
Candidates narrowed(const Candidates& candidates, double measured, Figure DeviceFigures::*figure) {
  Candidates left;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(left),
               [&](const Device* device) {
                 return measured > 0 && near(measured, device->figures.*figure);
               });
  return left.empty() ? candidates : left;
}

std::string candidate_names(const Candidates& candidates) {
  std::vector<std::string> names;
  for (const auto* device : candidates) {
    names.push_back(device->name);
  }
  return join(names, ", ");
}

/// Of a name that begins with that of a card: that it is another one; else the nearest name.
std::string no_device(const std::vector<Device>& database, const std::string& name) {
  Candidates others;
  std::vector<std::string> known;
  for (const auto& device : database) {
    known.push_back(device.name);
    if (std::ranges::any_of(device.names, [&](const std::string& own) {
          return begins_with_word(gpu_model(name), gpu_model(own));
        })) {
      others.push_back(&device);
    }
  }
  return fmt::format("the device database has no device '{}'{}", name,
                     others.empty() ? suggestion(name, known)
                                    : "; it is another card than " + candidate_names(others));
}

}  // namespace

DeviceMatch match_device(const std::vector<Device>& database, const GpuTraits& gpu) {
  Candidates named;
  std::size_t most = 1;
  for (const auto& device : database) {
    const auto here = explained(device, gpu_model(gpu.name));
    if (here > most) {
      named.clear();
      most = here;
    }
    if (here >= most) {
      named.push_back(&device);
    }
  }
  if (named.empty()) {
    return {.remark = no_device(database, gpu.name)};
  }
  Candidates fitting;
  std::copy_if(named.begin(), named.end(), std::back_inserter(fitting),
               [&](const Device* device) { return has_memory(*device, gpu.memory_bytes); });
  if (fitting.empty()) {
    return {.remark = fmt::format(
                "'{}' has {:.1f} GB, which {} does not have: a part of a card (MIG)?", gpu.name,
                static_cast<double>(gpu.memory_bytes) / 1e9, candidate_names(named))};
  }
  fitting = narrowed(fitting, gpu.clock_mhz, &DeviceFigures::boost_clock_mhz);
  fitting = narrowed(fitting, gpu.power_limit_w, &DeviceFigures::tdp_w);
  const auto assumed = std::find_if(fitting.begin(), fitting.end(),
                                    [](const Device* device) { return !device->assumed.empty(); });
  const auto taken = assumed == fitting.end() ? fitting.begin() : assumed;
  DeviceMatch match{.device = *taken};
  std::copy_if(fitting.begin(), fitting.end(), std::back_inserter(match.others),
               [&](const Device* device) { return device != match.device; });
  if (!match.others.empty()) {
    match.remark = fmt::format(
        "'{}' may be {}; taken as {}: {}", gpu.name, candidate_names(fitting), match.device->name,
        match.device->assumed.empty() ? "the first of them, for want of more to go by"
                                      : match.device->assumed);
  }
  return match;
}

}  // namespace epochcast::device
