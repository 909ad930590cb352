// Latency and throughput of streams, as the study defines them: latency is the start of a batch
// less its release by the producer, throughput its items by the time from start to end.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/stream_batches.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis::tables {
namespace {

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

table::Cell percent_of(double part, double whole) {
  return whole > 0 ? table::Cell(100 * part / whole) : table::Cell();
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

table::Table streams_table(const std::vector<LoadedRecord>& records, const TableOptions& options) {
  table::Table streams{
      .name = "streaming",
      .title = "Latency and throughput of streams",
      .columns = table::columns_by(
          table::text_column("record", "record"), options.by,
          {table::text_column("allocation", "allocation"), table::text_column("outcome", "outcome"),
           table::number_column("batches", "batches", "", 0),
           table::number_column("items", "items", "", 0),
           table::number_column("latency_s", "latency", "s", 3),
           table::number_column("most_latency_s", "highest", "s", 3),
           table::number_column("items_per_s", "throughput", "1/s", 1),
           table::number_column("accuracy_percent", "accuracy", "%", 2),
           table::number_column("refused", "refused", "", 0)})};
  for (const auto& loaded : records) {
    const auto& batches = loaded.record.stream_batches;
    if (batches.empty()) {
      table::add_note(streams, loaded.path + ": no batches of a stream");
      continue;
    }
    const auto sums = sums_of(batches);
    const auto latency = summarize(sums.latencies_s);
    streams.rows.push_back(table::row_by(
        loaded.path, attributes(loaded.record, options.by),
        {loaded.record.header.allocation.str(), loaded.record.header.outcome.str(),
         static_cast<double>(batches.size()), sums.items, table::median_cell(latency),
         *std::ranges::max_element(sums.latencies_s), table::median_cell(summarize(sums.rates)),
         percent_of(sums.right, sums.labelled), sums.refused}));
  }
  add_attempt_notes(streams, records);
  table::add_note(
      streams,
      "latency: from the release by the producer to the start, throughput: items by the "
      "time from start to end; medians over the batches");
  return streams;
}

table::Table batches_table(const std::vector<LoadedRecord>& records) {
  table::Table table{
      .name = "stream_batches",
      .title = "Batches of streams",
      .columns = {table::text_column("record", "record"), table::text_column("source", "source"),
                  table::number_column("batch_id", "batch", "", 0),
                  table::number_column("batch_size", "items", "", 0),
                  table::number_column("triggered_s", "triggered", "s", 3),
                  table::number_column("start_s", "start", "s", 3),
                  table::number_column("end_s", "end", "s", 3),
                  table::number_column("durable_s", "durable", "s", 3),
                  table::number_column("latency_s", "latency", "s", 3),
                  table::number_column("items_per_s", "throughput", "1/s", 1),
                  table::number_column("accuracy_percent", "accuracy", "%", 2)}};
  for (const auto& loaded : records) {
    for (const auto& batch : loaded.record.stream_batches) {
      const auto labelled = static_cast<double>(batch.labelled);
      table.rows.push_back({loaded.path, batch.source.str(), static_cast<double>(batch.batch_id),
                            static_cast<double>(batch.batch_size), batch.triggered_s, batch.start_s,
                            batch.end_s, batch.durable_s, latency_s(batch),
                            table::cell_of(items_per_s(batch)),
                            percent_of(batch.accuracy * labelled, labelled)});
    }
  }
  return table;
}

std::vector<table::Table> make_streaming(const std::vector<LoadedRecord>& records,
                                         const TableOptions& options) {
  for (const auto& name : options.by) {
    require_attribute(records, name);
  }
  return {streams_table(records, options), batches_table(records)};
}

}  // namespace

TableSpec streaming() {
  return {.summary = "latency, throughput and accuracy of each stream and each of its batches",
          .make = make_streaming,
          .rows = record::Rows::without_steps,
          .answer = {3}};
}

}  // namespace epochcast::analysis::tables
