#include "src/measure/telemetry/pressure.hpp"

#include "src/measure/telemetry/files.hpp"

namespace epochcast::telemetry {
namespace {

/// Of "some avg10=0.23 avg60=5.42 avg300=8.69 total=91094717", in microseconds.
std::optional<double> stalled_s(const std::filesystem::path& file) {
  const auto text = file.empty() ? "" : read_small_file(file);
  const auto total = text.find("total=");
  if (!text.starts_with("some") || total == std::string::npos) {
    return std::nullopt;
  }
  const auto microseconds = first_number(std::string_view(text).substr(total));
  return microseconds ? std::optional(*microseconds / 1e6) : std::nullopt;
}

}  // namespace

PressureFiles find_pressure(const std::filesystem::path& root,
                            const std::filesystem::path& folder) {
  if (!folder.empty() && stalled_s(folder / "cpu.pressure")) {
    return {folder / "cpu.pressure", folder / "memory.pressure", folder / "io.pressure", "cgroup"};
  }
  const auto of_node = root / "proc/pressure";
  if (stalled_s(of_node / "cpu")) {
    return {of_node / "cpu", of_node / "memory", of_node / "io", "node"};
  }
  return {};
}

Pressure read_pressure(const PressureFiles& files) {
  return {stalled_s(files.cpu), stalled_s(files.memory), stalled_s(files.io)};
}

}  // namespace epochcast::telemetry
