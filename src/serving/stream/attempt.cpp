#include "src/serving/stream/attempt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "src/base/cli/report.hpp"
#include "src/base/cli/selected_options.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/measure/attempt/end.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/measure/attempt/telemetry.hpp"
#include "src/record/writer.hpp"
#include "src/serving/stream/consumer.hpp"
#include "src/serving/stream/journal.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::stream {
namespace {

/// Used by one thread, which alone writes the record meanwhile.
class BatchRows {
 public:
  BatchRows(const Clock& clock, record::RecordWriter& record);

  /// Appends the row of a batch.
  void add(const BatchReport& report);
  /// Writes the rows to disk; if it is full, they stay in memory.
  void flush();
  /// The attempt as one epoch, so that tables of runs show it.
  record::Epoch whole_run(double start_s, double end_s) const;

 private:
  double from_1970_;  ///< What to add to a time since 1970 for one of the clock.
  record::RecordWriter& record_;
  std::int64_t batches_ = 0;
  std::int64_t items_ = 0;
};

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

namespace fs = std::filesystem;

template <class Struct>
void add_parameters(run::Parameters& parameters, const Struct& values) {
  for_each_field<Struct>([&](const auto& field) {
    const auto& value = values.*field.member;
    parameters.push_back({"stream." + std::string(field.name), to_text(value),
                          std::string(type_name(value)), std::string(field.unit)});
  });
}

record::Record consume_start(const ConsumeConfig& config, const ConsumeNetwork& network) {
  auto parameters = network.parameters;
  add_parameters(parameters, config.options);
  add_parameters(parameters, config.places);
  return attempt::start_record({.rank = 0,
                                .parameters = parameters,
                                .on_gpu = network.on_gpu,
                                .output = config.output,
                                .environment = slurm::current_environment(),
                                .threads = network.threads,
                                .libraries = network.libraries});
}

fs::path journal_path(const ConsumeConfig& config) {
  return config.places.journal.empty()
             ? fs::path(config.output.work) / config.output.point / "stream.sqlite"
             : fs::path(config.places.journal);
}

attempt::End attempt_end(ConsumerEnd end, const Sink& sink, int signal) {
  const auto done = fmt::format("{} {} answered", sink.batches_done(),
                                sink.batches_done() == 1 ? "batch" : "batches");
  switch (end) {
    case ConsumerEnd::all_done:
      return {};
    case ConsumerEnd::idle:
      return {.text = done + ", then none came for the idle time"};
    case ConsumerEnd::stopped:
      break;
  }
  return attempt::stopped_end(fmt::format("stopped by {}; {}", signal_name(signal), done));
}

/// Everything after the record is created.
class StreamRun {
 public:
  StreamRun(const ConsumeConfig& config, const ConsumeNetwork& network, const Clock& clock,
            const attempt::StopFlag& stop, record::RecordWriter& record)
      : config_(config), network_(network), clock_(clock), stop_(stop), rows_(clock, record) {}

  attempt::End run(const record::Record& start, const OpenSink& open_sink,
                   record::RecordWriter& record) {
    std::optional<attempt::TelemetryRecorder> telemetry;
    if (config_.output.telemetry.value > 0) {
      telemetry.emplace(
          telemetry::Sources{.cpus = process::allowed_cpus(), .gpus = gpu_uuids(start)},
          config_.output.telemetry.value, start.machines);
    }
    const auto predictor = network_.make();
    const auto path = journal_path(config_);
    make_folder(absolute_path(path).parent_path());
    const auto sink = open_sink(path.string(), predictor->labels());
    const auto source = open_source(config_.places.from, *sink);
    tell_address(*source);
    const double started_s = clock_.now_s();
    record.append(record::run_span("init", 0, started_s));
    record.flush();
    const auto end = consume({.predictor = *predictor,
                              .source = *source,
                              .sink = *sink,
                              .clock = clock_,
                              .options = config_.options,
                              .stop = [&] { return stop_.signal() != 0; },
                              .on_batch = [&](const auto& report) { rows_.add(report); },
                              .on_tick =
                                  [&] {
                                    if (telemetry) {
                                      telemetry->write(record, {});
                                    }
                                    rows_.flush();
                                  },
                              .report = cli::report});
    const auto epoch = rows_.whole_run(started_s, clock_.now_s());
    record.append(epoch);
    if (telemetry) {
      telemetry->end();
      telemetry->write(record, {epoch});
    }
    return attempt_end(end, *sink, stop_.signal());
  }

 private:
  static std::vector<std::string> gpu_uuids(const record::Record& start) {
    const auto uuid = start.machines.front().gpu_uuid.str();
    return uuid.empty() ? std::vector<std::string>{} : std::vector{uuid};
  }

  void tell_address(const Source& source) const {
    if (!config_.places.address_file.empty()) {
      write_file(config_.places.address_file, source.address() + "\n");
    }
  }

  const ConsumeConfig& config_;
  const ConsumeNetwork& network_;
  const Clock& clock_;
  const attempt::StopFlag& stop_;
  BatchRows rows_;
};

}  // namespace

std::vector<cli::Option> consume_options() {
  auto options = cli::options_of_fields<ConsumePlaces>();
  std::ranges::move(cli::options_of_fields<run::ConsumeOptions>(), std::back_inserter(options));
  std::ranges::move(cli::selected_options<run::RunOutput>(
                        {"point", "experiment", "allocation", "records", "work", "telemetry"}),
                    std::back_inserter(options));
  return options;
}

ConsumeConfig consume_config_from(const cli::Arguments& arguments) {
  ConsumeConfig config;
  cli::set_fields_from(config.places, arguments);
  cli::set_fields_from(config.options, arguments);
  cli::set_fields_from(config.output, arguments);
  if (config.places.from.empty()) {
    throw Error("--from is missing; expected where batches come from: " + transport_forms());
  }
  if (config.output.point.empty()) {
    config.output.point = "stream";
  }
  return config;
}

ExitStatus run_consume_attempt(const ConsumeConfig& config, const ConsumeNetwork& network,
                               const Clock& clock, const attempt::StopFlag& stop,
                               const OpenSink& open_sink) {
  const double takeover_s = config.places.takeover.value;
  const OpenSink open =
      open_sink ? open_sink : OpenSink([takeover_s](const auto& path, const auto& classes) {
        return std::make_unique<Journal>(path, classes, takeover_s);
      });
  const auto start = consume_start(config, network);
  make_folder(config.output.records);
  record::RecordWriter record(attempt::record_path(config.output, start.header), start);
  return attempt::record_attempt(record, [&] {
    return StreamRun(config, network, clock, stop, record).run(start, open, record);
  });
}

}  // namespace epochcast::stream
