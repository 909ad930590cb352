// The time of each workload of a table on each of its devices from that on each other one.

#include "analysis/predict/device_methods.hpp"
#include "analysis/predict/predict.hpp"
#include "analysis/predict/prediction_columns.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/device/rates.hpp"

namespace epochcast::analysis {
namespace {

/// The distance of two devices, as the widths of datasheets take it.
struct Apart {
  double years;
  double octaves;  ///< Of the batch.
};

std::optional<Apart> apart(const DeviceQuestion& question, const FileDevices& devices) {
  const auto asked = ratio_question(question, devices);
  if (asked.from == nullptr || asked.to == nullptr) {
    return std::nullopt;
  }
  const auto precision = device::precision_of_both(asked.measured.precision, *asked.from);
  const auto here = device::specified_rates(*asked.from, precision, devices.database);
  const auto there = device::specified_rates(*asked.to, precision, devices.database);
  if (!here || !there) {
    return std::nullopt;
  }
  return Apart{device::years_between(*asked.from, *here, *asked.to, *there),
               device::batch_octaves(asked)};
}

/// A question as one method answered it.
struct PairRow {
  const DeviceQuestion* question;
  std::string flagged;  ///< Why the device does not decide the time; empty: it does.
  std::optional<Apart> apart;
  std::string method;
  std::optional<forecast::Prediction> found;

  const forecast::Prediction* answer() const { return found ? &*found : nullptr; }
  std::optional<double> years() const { return apart ? std::optional(apart->years) : std::nullopt; }
  std::optional<double> octaves() const {
    return apart ? std::optional(apart->octaves) : std::nullopt;
  }
};

table::Table pairs_of(const CsvFile& file, std::size_t& forecasts) {
  ExcludedRows excluded;
  const DeviceTimes times(read_timings(file, excluded));
  const auto devices = devices_of(times, file.rows() > 0 ? file.text(0, "origin") : "");
  const auto questions = questions_of(times);
  if (questions.empty()) {
    throw Error(file.path() + ": no workload was measured on two devices");
  }
  const auto methods = device_methods(times, devices, questions);
  std::vector<PairRow> rows;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto& question = questions[i];
    const auto why =
        times.not_device_bound(question.from, question.to, *question.one, devices.by_name);
    for (const auto& [name, answers] : methods) {
      rows.push_back({&question, why.value_or(""), apart(question, devices), name, answers[i]});
      forecasts += answers[i] ? 1 : 0;
    }
  }
  table::Columns<PairRow> columns{
      {"workload", "workload", [](auto& row) { return row.question->one->measured.workload; }},
      {"batch", "batch", "", 0,
       [](auto& row) {
         const auto batch = row.question->one->measured.batch;
         return batch > 0 ? std::optional(batch) : std::nullopt;
       }},
      {"from", "from", [](auto& row) { return row.question->from; }},
      {"to", "to", [](auto& row) { return row.question->to; }},
      {"here_s", "here", "s", 4, [](auto& row) { return row.question->here_s(); }},
      {"there_s", "there", "s", 4, [](auto& row) { return row.question->there_s(); }},
      {"years", "years between", "", 1, &PairRow::years},
      {"octaves", "doublings of the batch", "", 1, &PairRow::octaves},
      {"method", "method", &PairRow::method}};
  columns.add(prediction_columns("forecast", "forecast", {"s", 1, 4}), &PairRow::answer)
      .add({{"flagged", "not scaled, since", &PairRow::flagged}});
  auto table = table::make_table("pairs", "All pairs of devices of " + file.path(), columns, rows,
                                 devices.notes);
  if (const auto note = excluded.note()) {
    table.notes.push_back(*note);
  }
  return table;
}

}  // namespace

Answers predict_pairs(const std::vector<std::string>& paths) {
  Answers answers;
  for (const auto& path : paths) {
    answers.tables.push_back(pairs_of(CsvFile::read(path), answers.forecasts));
  }
  return answers;
}

}  // namespace epochcast::analysis
