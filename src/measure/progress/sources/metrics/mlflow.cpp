// MLflow's file store: mlruns/EXPERIMENT/RUN/metrics/NAME has the values of one metric, a line
// each: milliseconds since 1970, value, step (and in newer stores the model and data set). The
// run's meta.yaml tells when it began.
#include <algorithm>

#include "src/base/core/line_buffer.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/sources/metric_spec.hpp"

namespace epochcast::progress::sources::metrics {
namespace mlflow_metric {

constexpr std::size_t longest_line = 4096;
constexpr std::int64_t first_ms = 1'000'000'000'000;  // in 2001

struct MlflowLine {
  std::int64_t at_ms = 0;
  double value = 0;
  std::int64_t step = 0;
};

std::optional<MlflowLine> mlflow_line(std::string_view text) {
  const auto words = split(trim(text), ' ');
  if (words.size() < 3) {
    return std::nullopt;
  }
  const auto at_ms = parse_integer(words[0]);
  const auto value = parse_double(words[1]);
  const auto step = parse_integer(words[2]);
  if (!at_ms || *at_ms < first_ms || !value || !step || *step < 0) {
    return std::nullopt;
  }
  return MlflowLine{*at_ms, *value, *step};
}

constexpr std::string_view meta_file = "meta.yaml";

/// Of the line "start_time: 1795811732000" of meta.yaml.
std::optional<std::int64_t> began_ms_of(std::string_view line) {
  constexpr std::string_view key = "start_time: ";
  return line.starts_with(key) ? parse_integer(trim(line.substr(key.size()))) : std::nullopt;
}

bool is_meta_of_run(std::string_view head) {
  return head.starts_with("artifact_uri:") && head.find("\nrun_id:") != head.npos;
}

/// "train/loss" of .../metrics/train/loss.
std::string name_of_metric(const std::filesystem::path& file) {
  const std::filesystem::path folder("metrics");
  const auto at = std::find(file.begin(), file.end(), folder);
  std::filesystem::path name;
  for (auto part = at == file.end() ? std::prev(file.end()) : std::next(at); part != file.end();
       ++part) {
    name /= *part;
  }
  return name.generic_string();
}

class MlflowReader : public MetricReader {
 public:
  explicit MlflowReader(const std::filesystem::path& file) : name_(name_of_metric(file)) {}

  std::vector<Sample> read(std::string_view bytes) override {
    std::vector<Sample> samples;
    lines_.add(bytes, [&](const FileLine& line) {
      if (name_ == meta_file) {
        if (const auto began_ms = began_ms_of(line.text)) {
          samples.push_back({.since_1970_s = static_cast<double>(*began_ms) / 1000});
        }
      } else if (const auto found = mlflow_line(line.text)) {
        auto& sample = samples.emplace_back();
        sample.since_1970_s = static_cast<double>(found->at_ms) / 1000;
        sample.step = found->step;
        sample.is_part = true;
        add_named_value(sample, name_, found->value);
      } else {
        remarks_.add("lines are no values of MLflow", "line " + std::to_string(line.number));
      }
    });
    return samples;
  }
  void restart() override { lines_.restart(); }
  const Remarks& remarks() const override { return remarks_; }

 private:
  std::string name_;
  LineBuffer lines_{longest_line};
  Remarks remarks_;
};

}  // namespace mlflow_metric

MetricSpec mlflow() {
  return {
      .summary = "MLflow's file store: the folder of a run in mlruns",
      .preference = 1,
      .whole_names = true,
      .recognises =
          [](std::string_view head) {
            const auto end = head.find('\n');
            return mlflow_metric::is_meta_of_run(head) ||
                   (end != std::string_view::npos &&
                    mlflow_metric::mlflow_line(head.substr(0, end)).has_value());
          },
      .open = [](const auto& file) { return std::make_unique<mlflow_metric::MlflowReader>(file); }};
}

}  // namespace epochcast::progress::sources::metrics
