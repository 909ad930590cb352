#include "src/measure/progress/lab_log_line.hpp"

#include <cmath>

#include "src/base/core/text.hpp"
#include "src/measure/progress/scanner.hpp"

namespace epochcast::progress::lab_log {
namespace {

std::optional<std::int64_t> count(Scanner& scanner) {
  const auto value = scanner.number();
  constexpr double most = 9e15;  // 2^53: whole numbers are exact below
  if (!value || !(*value > -most && *value < most) || *value != std::trunc(*value)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*value);
}

/// Both lines that begin with the losses.
std::optional<Line> parse_losses(Scanner scanner, bool whole) {
  Progress progress;
  const auto take = [&](double& into, std::string_view ending) {
    const auto value = scanner.number();
    into = value.value_or(0);
    return value && scanner.skip(ending);
  };
  double rate = 0;
  if (!take(progress.loss_d, ", loss_G ") || !take(progress.loss_g, ", ") || !take(rate, " ")) {
    return std::nullopt;
  }
  if (scanner.skip("sec/epoch on ")) {
    return whole && !scanner.word().empty() && scanner.at_end() ? std::optional<Line>(MeanLine{})
                                                                : std::nullopt;
  }
  progress.examples_per_s = rate;
  if (!scanner.skip("examples/sec on ")) {
    return std::nullopt;
  }
  progress.device = scanner.word();
  const bool complete = !progress.device.empty() && scanner.skip(" (") &&
                        take(progress.examples, " examples in ") &&
                        take(progress.seconds, " seconds during this epoch)") && scanner.at_end();
  return complete ? std::optional<Line>(progress) : std::nullopt;
}

std::optional<Line> parse_batch(Scanner scanner) {
  const auto epoch = count(scanner);
  const bool dash = scanner.skip("-");
  const auto index = count(scanner);
  return epoch && dash && index && scanner.at_end() ? std::optional<Line>(BatchLine{*epoch, *index})
                                                    : std::nullopt;
}

template <class CountedLine>
std::optional<Line> parse_count(Scanner scanner) {
  const auto value = count(scanner);
  return value && scanner.at_end() ? std::optional<Line>(CountedLine{*value}) : std::nullopt;
}

std::optional<Line> parse_total(Scanner scanner) {
  const auto seconds = scanner.number();
  return seconds && scanner.skip(" seconds") && scanner.at_end()
             ? std::optional<Line>(TotalLine{*seconds})
             : std::nullopt;
}

std::optional<Line> parse_stamp(std::string_view which, std::string_view stamp) {
  return stamp.ends_with(" local")
             ? std::optional<Line>(StampLine{std::string(which), std::string(stamp)})
             : std::nullopt;
}

}  // namespace

std::optional<Line> parse(std::string_view line, bool whole) {
  Scanner scanner(trim(line));
  if (scanner.skip("loss_D ")) {
    return parse_losses(scanner, whole);
  }
  if (scanner.skip("Total training time: ")) {
    return parse_total(scanner);
  }
  for (const std::string_view which : {"Started at: ", "Ended at: "}) {
    if (scanner.skip(which)) {
      return parse_stamp(which.substr(0, which.size() - 2), scanner.rest());
    }
  }
  if (!whole && !scanner.at_end()) {
    return std::nullopt;
  }
  if (scanner.skip("Processing batch: ")) {
    return parse_batch(scanner);
  }
  if (scanner.skip("Epoch: ")) {
    return parse_count<EpochLine>(scanner);
  }
  if (scanner.skip("Num epochs: ")) {
    return parse_count<CountLine>(scanner);
  }
  if (scanner.skip("Device: ")) {
    const auto device = std::string(scanner.word());
    return !device.empty() && scanner.at_end() ? std::optional<Line>(DeviceLine{device})
                                               : std::nullopt;
  }
  // the last: of a job script of epochcast-jobs, which ran the program as a command
  const bool known = scanner.at_end() || scanner.skip("net_G(x).shape: ") ||
                     scanner.skip("<Figure size ") || scanner.skip("epochcast: ");
  return known ? std::optional<Line>(IgnoredLine{}) : std::nullopt;
}

}  // namespace epochcast::progress::lab_log
