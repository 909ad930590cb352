// A folder for each record with an event file of TensorBoard: the metrics, and as there the epoch
// that they belong to. The messages are Event and Summary of TensorFlow's .proto files.
#include <fmt/format.h>

#include <filesystem>

#include "analysis/export/exporter.hpp"
#include "analysis/export/logged_metrics.hpp"
#include "src/measure/progress/sources/record_frames.hpp"
#include "src/measure/progress/sources/wire_format.hpp"

namespace epochcast::analysis::exporters {
namespace tensorboard_exporter {

using progress::sources::frame_of;
using progress::sources::WireWriter;

std::string event(double since_1970_s, std::int64_t step, std::string_view name, double value) {
  const auto scalar = WireWriter().bytes(1, name).fixed32(2, static_cast<float>(value)).text();
  const auto summary = WireWriter().bytes(1, scalar).text();
  return frame_of(WireWriter()
                      .fixed64(1, since_1970_s)
                      .varint(2, static_cast<std::uint64_t>(step))
                      .bytes(5, summary)
                      .text());
}

std::string events_of(const record::Record& record) {
  const double start_s = static_cast<double>(origin_ms(record)) / 1000;
  auto text = frame_of(WireWriter().fixed64(1, start_s).bytes(3, "brain.Event:2").text());
  std::int64_t last_step = -1;
  for (const auto& metric : logged_metrics(record)) {
    const double at_s = static_cast<double>(metric.at_ms) / 1000;
    if (metric.step != std::exchange(last_step, metric.step)) {
      text += event(at_s, metric.step, "epoch", static_cast<double>(metric.epoch));
    }
    text += event(at_s, metric.step, metric.name, metric.value);
  }
  return text;
}

std::vector<ExportedFile> make(const std::vector<LoadedRecord>& records) {
  std::vector<ExportedFile> files;
  for (const auto& loaded : records) {
    files.push_back({fmt::format("{}/events.out.tfevents.{}.epochcast",
                                 std::filesystem::path(loaded.path).stem().string(),
                                 origin_ms(loaded.record) / 1000),
                     events_of(loaded.record)});
  }
  return files;
}

}  // namespace tensorboard_exporter

ExporterSpec tensorboard() {
  return {.summary = "event files of TensorBoard: a folder for each record",
          .make = tensorboard_exporter::make};
}

}  // namespace epochcast::analysis::exporters
