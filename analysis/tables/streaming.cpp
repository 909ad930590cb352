// Latency and throughput of streams, as the study defines them: latency is the start of a batch
// less its release by the producer, throughput its items by the time from start to end.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/stream_batches.hpp"
#include "analysis/records/varied.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::tables {
namespace streaming_table {

using record::StreamBatch;

/// What a stream had, over all its batches.
struct StreamSums {
  std::vector<double> latencies_s;
  std::vector<double> rates;
  double items = 0;
  double labelled = 0;
  double right = 0;
  double refused = 0;
};

StreamSums sums_of(const std::vector<StreamBatch>& batches) {
  StreamSums sums;
  for (const auto& batch : batches) {
    sums.latencies_s.push_back(latency_s(batch));
    if (const auto rate = items_per_s(batch)) {
      sums.rates.push_back(*rate);
    }
    sums.items += static_cast<double>(batch.batch_size);
    sums.labelled += static_cast<double>(batch.labelled);
    sums.right += batch.accuracy * static_cast<double>(batch.labelled);
    sums.refused += static_cast<double>(batch.refused);
  }
  return sums;
}

/// The batches of one stream, by its source, over all attempts at its point.
struct SourceBatches {
  std::set<std::int64_t> ids;
  std::set<std::string> records;
  bool follows_another = false;  ///< No record may be of the first attempt.
};

std::map<std::pair<std::string, std::string>, SourceBatches> sources_of(
    const std::vector<LoadedRecord>& records) {
  std::map<std::pair<std::string, std::string>, SourceBatches> sources;
  for (const auto& loaded : records) {
    const auto& header = loaded.record.header;
    for (const auto& batch : loaded.record.stream_batches) {
      auto& source = sources[{header.point.str(), batch.source.str()}];
      source.ids.insert(batch.batch_id);
      source.records.insert(loaded.path);
      source.follows_another =
          source.follows_another || header.restart > 0 || !header.resumed_from.view().empty();
    }
  }
  return sources;
}

/// "3 to 5, 9": the numbers from `first` to the highest that are not there.
std::string gaps_of(const std::set<std::int64_t>& ids, std::int64_t first) {
  std::vector<std::string> gaps;
  for (const auto id : ids) {
    if (id > first) {
      gaps.push_back(id == first + 1 ? std::to_string(first)
                                     : fmt::format("{} to {}", first, id - 1));
    }
    first = id + 1;
  }
  return join(gaps, ", ");
}

/// What the rows do not show: batches that no record has, and attempts that belong together.
void add_attempt_notes(table::Table& table, const std::vector<LoadedRecord>& records) {
  for (const auto& [name, source] : sources_of(records)) {
    const auto of = name.first + ", source " + name.second;
    const auto first = source.follows_another || source.records.size() > 1
                           ? std::min<std::int64_t>(1, *source.ids.begin())
                           : *source.ids.begin();
    if (source.records.size() > 1) {
      table::add_note(table, fmt::format("{}: {} records are attempts at one stream; together they "
                                         "have {} batches",
                                         of, source.records.size(), source.ids.size()));
    }
    if (const auto gaps = gaps_of(source.ids, first); !gaps.empty()) {
      table::add_note(table,
                      fmt::format("{}: batches {} are in no record: an attempt that was killed had "
                                  "answered them before it recorded them, or its record is not "
                                  "here; 'epochcast-stream results JOURNAL' prints the answers",
                                  of, gaps));
    }
  }
}

/// The batches of a record, summed.
struct StreamRow {
  const LoadedRecord* loaded;
  StreamSums sums;
};

table::Columns<StreamSums> sum_columns() {
  return {{"batches", "batches", "", 0, [](const auto& sums) { return sums.latencies_s.size(); }},
          {"items", "items", "", 0, &StreamSums::items},
          {"latency_s", "latency", "s", 3,
           [](const auto& sums) { return table::median_cell(summarize(sums.latencies_s)); }},
          {"most_latency_s", "highest", "s", 3,
           [](const auto& sums) { return std::ranges::max(sums.latencies_s); }},
          {"items_per_s", "throughput", "1/s", 1,
           [](const auto& sums) { return table::median_cell(summarize(sums.rates)); }},
          {"accuracy_percent", "accuracy", "%", 2,
           [](const auto& sums) { return table::percent_cell(sums.right, sums.labelled); }},
          {"refused", "refused", "", 0, &StreamSums::refused}};
}

table::Table streams_table(const std::vector<LoadedRecord>& records, const TableOptions& options) {
  std::vector<StreamRow> rows;
  std::vector<std::string> notes;
  for (const auto& loaded : records) {
    if (loaded.record.stream_batches.empty()) {
      notes.push_back(loaded.path + ": no batches of a stream");
    } else {
      rows.push_back({&loaded, sums_of(loaded.record.stream_batches)});
    }
  }
  table::Columns<StreamRow> columns;
  columns.add(record_columns(options.by), &StreamRow::loaded)
      .add(
          {"outcome", "outcome", [](const auto& row) { return row.loaded->record.header.outcome; }})
      .add(sum_columns(), &StreamRow::sums);
  auto table =
      table::make_table("streaming", "Latency and throughput of streams", columns, rows, notes);
  add_attempt_notes(table, records);
  table::add_note(
      table,
      "latency: from the release by the producer to the start, throughput: items by the "
      "time from start to end; medians over the batches");
  return table;
}

table::Table batches_table(const std::vector<LoadedRecord>& records) {
  struct BatchRow {
    std::string path;
    const StreamBatch* batch;
  };
  std::vector<BatchRow> rows;
  for (const auto& loaded : records) {
    for (const auto& batch : loaded.record.stream_batches) {
      rows.push_back({loaded.path, &batch});
    }
  }
  const table::Columns<StreamBatch> of_batch{
      {"source", "source", &StreamBatch::source},
      {"batch_id", "batch", "", 0, &StreamBatch::batch_id},
      {"batch_size", "items", "", 0, &StreamBatch::batch_size},
      {"triggered_s", "triggered", "s", 3, &StreamBatch::triggered_s},
      {"start_s", "start", "s", 3, &StreamBatch::start_s},
      {"end_s", "end", "s", 3, &StreamBatch::end_s},
      {"durable_s", "durable", "s", 3, &StreamBatch::durable_s},
      {"latency_s", "latency", "s", 3, latency_s},
      {"items_per_s", "throughput", "1/s", 1, items_per_s},
      {"accuracy_percent", "accuracy", "%", 2, [](const auto& batch) {
         const auto labelled = static_cast<double>(batch.labelled);
         return table::percent_cell(batch.accuracy * labelled, labelled);
       }}};
  table::Columns<BatchRow> columns{{"record", "record", &BatchRow::path}};
  columns.add(of_batch, &BatchRow::batch);
  return table::make_table("stream_batches", "Batches of streams", columns, rows);
}

std::vector<table::Table> make_streaming(const std::vector<LoadedRecord>& records,
                                         const TableOptions& options) {
  require_attributes(records, options.by);
  return {streams_table(records, options), batches_table(records)};
}

}  // namespace streaming_table

TableSpec streaming() {
  return {.summary = "latency, throughput and accuracy of each stream and each of its batches",
          .make = streaming_table::make_streaming,
          .rows = record::Rows::without_steps,
          .answer = {3}};
}

}  // namespace epochcast::analysis::tables
