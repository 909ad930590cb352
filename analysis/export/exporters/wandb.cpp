// A folder for each record as an offline run of Weights & Biases, for `wandb sync DIR/*`: a run
// with its configuration, the history and the exit, as Record messages (wandb_internal.proto) in
// the log that src/measure/progress/sources/metrics/wandb.cpp describes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/export/exporter.hpp"
#include "analysis/export/logged_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/sources/record_frames.hpp"
#include "src/measure/progress/sources/wire_format.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::exporters {
namespace wandb_exporter {

using progress::sources::little_endian;
using progress::sources::WireWriter;

constexpr std::size_t id_digits = 8;

/// The log that LevelDB's writer makes, with the checksum of zlib.
class Log {
 public:
  Log() : text_(":W&B" + little_endian(0xBEE1, 2) + '\0') {}

  void add(std::string_view message) {
    constexpr std::size_t block = 32768;
    constexpr std::size_t header = 7;
    for (bool begins = true; begins || !message.empty(); begins = false) {
      auto room = block - text_.size() % block;
      if (room < header) {
        text_.append(room, '\0');
        room = block;
      }
      const auto piece = message.substr(0, room - header);
      message.remove_prefix(piece.size());
      const bool ends = message.empty();
      const char kind = begins && ends ? 1 : (begins ? 2 : (ends ? 4 : 3));
      const auto summed = std::string(1, kind) + std::string(piece);
      text_ += little_endian(progress::sources::crc32(summed), 4) + little_endian(piece.size(), 2) +
               summed;
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A key with its value in JSON: an item of the configuration or of the history.
std::string item(std::string_view key, std::string_view value) {
  return WireWriter().bytes(1, key).bytes(16, value).text();
}

std::string run_of(const LoadedRecord& loaded) {
  const auto& record = loaded.record;
  const auto& header = record.header;
  WireWriter config;
  for (const auto& parameter : record.parameters) {
    const auto value = parameter.value.str();
    const bool is_number = parse_double(value) && nlohmann::json::accept(value);  // not nan, +1
    config.bytes(1, item(parameter.name.view(), is_number ? value : json_text(value)));
  }
  const auto origin = static_cast<std::uint64_t>(std::max<std::int64_t>(0, origin_ms(record)));
  const auto start = WireWriter().varint(1, origin / 1000).varint(2, origin % 1000 * 1000000);
  WireWriter run;
  run.bytes(1, tracker_id(loaded, id_digits))
      .bytes(3, tracker_project(record))
      .bytes(4, config.text())
      .bytes(6, header.allocation.view())
      .bytes(8, header.point.view())
      .bytes(9, header.outcome_text.view());
  if (!record.machines.empty()) {
    run.bytes(13, record.machines.front().host.view());
  }
  return run.bytes(17, start.text()).text();
}

/// The metrics of each step, as lines of the history. wandb numbers the lines; the step is a value.
std::vector<std::string> history_of(const record::Record& record) {
  const auto metrics = logged_metrics(record);
  const auto origin = origin_ms(record);
  std::vector<std::string> lines;
  for (auto at = metrics.begin(); at != metrics.end();) {
    const auto end =
        std::find_if(at, metrics.end(), [&](const auto& other) { return other.step != at->step; });
    WireWriter line;
    const auto number = std::to_string(lines.size());
    line.bytes(1, item("_step", number))
        .bytes(1, item("_timestamp", fmt::format("{:.3f}", static_cast<double>(at->at_ms) / 1000)))
        .bytes(1, item("_runtime",
                       fmt::format("{:.3f}", static_cast<double>(at->at_ms - origin) / 1000)))
        .bytes(1, item("epoch", std::to_string(at->epoch)))
        .bytes(1, item("global_step", std::to_string(at->step)));
    for (; at != end; ++at) {
      const bool finite = std::isfinite(at->value);
      line.bytes(1, item(at->name, finite ? fmt::format("{}", at->value)
                                          : json_text(fmt::format("{}", at->value))));
    }
    lines.push_back(line.bytes(2, WireWriter().varint(1, lines.size()).text()).text());
  }
  return lines;
}

std::string offline_run(const LoadedRecord& loaded) {
  Log log;
  std::uint64_t number = 0;
  const auto add = [&](std::uint64_t field, std::string_view message) {
    log.add(WireWriter().varint(1, ++number).bytes(field, message).text());
  };
  const auto version = WireWriter().bytes(1, "epochcast").bytes(2, "0.40.0").text();
  add(21, WireWriter().bytes(1, version).text());
  add(17, run_of(loaded));
  for (const auto& line : history_of(loaded.record)) {
    add(2, line);
  }
  const bool complete = outcome_of(loaded.record.header) == run::Outcome::complete;
  add(18, WireWriter().varint(1, complete ? 0 : 1).text());
  return log.text();
}

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  std::vector<ExportedFile> files;
  for (const auto& loaded : records) {
    const auto id = tracker_id(loaded, id_digits);
    auto day = loaded.record.header.created_at.str().substr(0, 19);  // "2026-11-27T21:08:25"
    std::erase_if(day, [](char c) { return c == '-' || c == ':'; });
    std::ranges::replace(day, 'T', '_');
    files.push_back(
        {fmt::format("offline-run-{}-{}/run-{}.wandb", day, id, id), offline_run(loaded)});
  }
  return files;
}

}  // namespace wandb_exporter

ExporterSpec wandb() {
  return {.summary = "offline runs of wandb, for 'wandb sync'", .make = wandb_exporter::make};
}

}  // namespace epochcast::analysis::exporters
