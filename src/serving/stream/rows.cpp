#include "src/serving/stream/rows.hpp"

#include "src/base/core/clock.hpp"

namespace epochcast::stream {

BatchRows::BatchRows(const Clock& clock, record::RecordWriter& record)
    : from_1970_(clock.now_s() - wall_clock_s()), record_(record) {}

void BatchRows::add(const BatchReport& report) {
  const auto& answered = report.answered;
  record::StreamBatch row{.source = answered.source,
                          .batch_id = answered.id,
                          .batch_size = std::ssize(answered.answers),
                          .triggered_s = answered.triggered + from_1970_,
                          .received_s = answered.received + from_1970_,
                          .start_s = answered.start + from_1970_,
                          .end_s = answered.end + from_1970_,
                          .durable_s = report.durable + from_1970_};
  std::int64_t right = 0;
  for (const auto& answer : answered.answers) {
    row.refused += answer.chosen < 0 ? 1 : 0;
    if (answer.chosen >= 0 && answer.label >= 0) {
      ++row.labelled;
      right += answer.chosen == answer.label ? 1 : 0;
    }
  }
  if (row.labelled > 0) {
    row.accuracy = static_cast<double>(right) / static_cast<double>(row.labelled);
  }
  record_.append(row);
  ++batches_;
  items_ += row.batch_size;
}

void BatchRows::flush() {
  try {
    record_.flush();
  } catch (const Error&) {  // a full disk; the rows stay, and the last flush tells it
  }
}

record::Epoch BatchRows::whole_run(double start_s, double end_s) const {
  return {.epoch = 0,
          .start_s = start_s,
          .wall_s = end_s - start_s,
          .samples = items_,
          .iterations = batches_};
}

}  // namespace epochcast::stream
