// Tables of metrics: a line an epoch (Keras's CSVLogger, timm), or a line a step with the number of
// the epoch (Lightning's CSVLogger). They hold no times.
#include "src/base/core/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/core/error.hpp"
#include "src/base/core/line_buffer.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/sources/metric_spec.hpp"

namespace epochcast::progress::sources::metrics {
namespace csv_metric {

constexpr std::size_t longest_line = 65536;
constexpr std::size_t longest_name = 200;
constexpr double largest_count = 9e15;  // 2^53: whole numbers are exact below

std::optional<CsvRow> csv_cells(std::string_view line) {
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  try {
    auto rows = parse_csv(line);
    return rows.size() == 1 ? std::optional(std::move(rows[0])) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_step(const std::string& name) {
  constexpr std::array steps{"step", "global_step", "iteration", "iter", "batch"};
  return std::find(steps.begin(), steps.end(), name) != steps.end();
}

/// The names of the columns, if the line has names only, and "epoch" among them.
std::optional<CsvRow> metric_columns(std::string_view line) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (line.starts_with(byte_order_mark)) {
    line.remove_prefix(byte_order_mark.size());
  }
  auto cells = csv_cells(line);
  if (!cells || cells->size() < 2) {
    return std::nullopt;
  }
  for (auto& cell : *cells) {
    cell = trim(cell);
    if (cell.empty() || cell.size() > longest_name || parse_double(cell)) {
      return std::nullopt;
    }
  }
  return find_column(*cells, "epoch") ? cells : std::nullopt;
}

std::optional<std::int64_t> count_in(const std::string& cell) {
  const auto value = parse_double(trim(cell));
  return value && *value >= 0 && *value < largest_count && *value == std::floor(*value)
             ? std::optional(static_cast<std::int64_t>(*value))
             : std::nullopt;
}

class MetricTableReader : public MetricReader {
 public:
  std::vector<Sample> read(std::string_view bytes) override {
    std::vector<Sample> samples;
    lines_.add(bytes, [&](const FileLine& line) {
      if (auto sample = table_sample(line)) {
        samples.push_back(std::move(*sample));
      }
    });
    return samples;
  }

  void restart() override {
    lines_.restart();
    columns_.clear();
  }

  const Remarks& remarks() const override { return remarks_; }

 private:
  std::optional<Sample> table_sample(const FileLine& line) {
    if (auto columns = metric_columns(line.text)) {
      columns_ = std::move(*columns);
      return std::nullopt;
    }
    const auto cells = csv_cells(line.text);
    if (!cells || cells->size() != columns_.size() || line.too_long) {
      if (!trim(line.text).empty()) {
        remarks_.add("lines are no rows of the table", "line " + std::to_string(line.number));
      }
      return std::nullopt;
    }
    Sample sample;
    std::optional<std::int64_t> epoch;
    bool of_epoch = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == "epoch") {
        epoch = count_in((*cells)[i]);
      } else if (is_step(columns_[i])) {
        of_epoch = false;
        sample.step = count_in((*cells)[i]);
      } else if (const auto value = parse_double(trim((*cells)[i]))) {
        sample.values.push_back({columns_[i], *value});
      }
    }
    if (!of_epoch) {
      sample.running_epoch = epoch;
    } else if (epoch) {
      // The first row says whether the program counts from 0 or from 1.
      first_epoch_ = first_epoch_.value_or(*epoch == 1 ? 1 : 0);
      sample.ended_epoch = std::max<std::int64_t>(*epoch - *first_epoch_, 0);
    }
    return sample;
  }

  LineBuffer lines_{longest_line};
  CsvRow columns_;
  std::optional<std::int64_t> first_epoch_;
  Remarks remarks_;
};

}  // namespace csv_metric

MetricSpec csv() {
  return {
      .summary = "CSV with a column 'epoch', as Lightning's and Keras's CSVLogger write it",
      .preference = 2,
      .recognises =
          [](std::string_view head) {
            const auto end = head.find('\n');
            return end != std::string_view::npos &&
                   csv_metric::metric_columns(head.substr(0, end)).has_value();
          },
      .open =
          [](const auto& /*file*/) { return std::make_unique<csv_metric::MetricTableReader>(); }};
}

}  // namespace epochcast::progress::sources::metrics
