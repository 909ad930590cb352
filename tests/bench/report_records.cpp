// Writes simulated records of a study for tests/bench/report: four allocations, three batch sizes,
// 1 and 10 epochs, repeats; of every 37 one failed and one was tainted. Nothing was trained.
//
// usage: bench_report_records FOLDER RECORDS STEPS_OF_EACH
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/writer.hpp"

namespace {

namespace fs = std::filesystem;
using namespace epochcast;

struct Place {
  const char* allocation;
  const char* gpu;
  std::int64_t cpus;
  double sample_s;
};
constexpr std::array places{Place{"cpu2", "", 2, 4e-5}, Place{"cpu16", "", 16, 2e-5},
                            Place{"t4", "Tesla T4", 8, 5e-6},
                            Place{"v100", "Tesla V100-SXM2-32GB", 8, 2.5e-6}};

void set_header(record::Record& record, const Place& place, std::int64_t number) {
  auto& header = record.header;
  header.source = "simulated";
  header.note = "simulated: written by bench_report_records, nothing was trained";
  header.outcome = to_text(run::Outcome::complete);
  header.experiment = "report_simulated";
  header.allocation = place.allocation;
  header.point = fmt::format("report_simulated.{}.{:05}", place.allocation, number);
  header.job_id = std::to_string(100000 + number);
  header.created_at = fmt::format("2026-11-{:02}T09:00:00+00:00", 1 + number % 24);
  if (number % 37 == 7) {
    header.outcome = to_text(run::Outcome::failed);
    header.outcome_text = "simulated: out of memory";
  } else if (number % 37 == 8) {
    header.tainted = "simulated: cpus: asked 2, got 1";
  }
  auto& machine = record.machines.emplace_back();
  machine.host = fmt::format("node{}", number % 7);
  machine.cpu_model = "simulated CPU";
  machine.threads_used = place.cpus;
  machine.gpu_name = place.gpu;
  record.allocation = {{"cpus", std::to_string(place.cpus), "", ""},
                       {"gpus", *place.gpu == '\0' ? "0" : "1", "", ""},
                       {"price_currency", "EUR", "", ""},
                       {"price_cpu_hour", "0.01", "", ""},
                       {"price_gpu_hour", "0.5", "", ""}};
}

record::Record simulated(std::int64_t number, std::int64_t steps) {
  const auto& place = places.at(static_cast<std::size_t>(number) % places.size());
  const std::int64_t batch = 64LL << (number / 4 % 3);
  const std::int64_t epochs = number / 12 % 2 == 0 ? 1 : 10;
  record::Record record;
  set_header(record, place, number);
  record.parameters = {{"model", "mlp", "text", "1"},
                       {"batch", std::to_string(batch), "integer", "1"},
                       {"epochs", std::to_string(epochs), "integer", "epochs"},
                       {"repeat", std::to_string(number / 24), "integer", "1"},
                       {"device", *place.gpu == '\0' ? "cpu" : "cuda", "text", "1"}};
  const auto of_epoch = steps / epochs;
  record.work = {{.parameter_count = 100000, .samples_per_epoch = of_epoch * batch}};
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  std::lognormal_distribution<double> noise(0, 0.05);
  double now_s = 1;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    const double start_s = now_s;
    for (std::int64_t index = 0; index < of_epoch; ++index) {
      const bool first = epoch == 0 && index == 0;
      const double step_s = (1e-3 + static_cast<double>(batch) * place.sample_s) * noise(random);
      record.iterations.push_back({.epoch = epoch,
                                   .index = index,
                                   .start_s = now_s,
                                   .step_s = first ? 20 * step_s : step_s,
                                   .samples = batch});
      now_s += record.iterations.back().step_s;
    }
    record.epochs.push_back({.epoch = epoch,
                             .start_s = start_s,
                             .wall_s = now_s - start_s,
                             .samples = of_epoch * batch,
                             .iterations = of_epoch});
    const double done = static_cast<double>(epoch + 1);
    record.metrics.push_back({epoch, "loss", noise(random) / std::sqrt(done), 0});
    record.metrics.push_back({epoch, "val_accuracy", 1 - 0.5 / std::sqrt(done), 0});
  }
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  const auto records = argc == 4 ? parse_integer(argv[2]) : std::nullopt;
  const auto steps = argc == 4 ? parse_integer(argv[3]) : std::nullopt;
  if (!records || !steps || *steps < 10) {
    fmt::print(stderr, "usage: bench_report_records FOLDER RECORDS STEPS_OF_EACH\n");
    return exit_bad_input;
  }
  fs::create_directories(argv[1]);
  for (std::int64_t number = 0; number < *records; ++number) {
    const auto path = fs::path(argv[1]) / fmt::format("simulated-{:05}.h5", number);
    record::write_record(path, simulated(number, *steps));
    fs::remove(fs::path(path).replace_extension(".jsonl"));  // three times the size of the record
  }
  return exit_done;
}
