// Writes simulated records with many steps for tests/bench/many_steps: runs of 1 and 20 epochs on
// four allocations.
//
// usage: bench_many_steps FOLDER RECORDS MEAN_STEPS
#include <fmt/format.h>

#include <filesystem>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"

namespace {

namespace fs = std::filesystem;
using namespace epochcast;

struct Kind {
  std::string allocation;
  double step_s;
  std::int64_t epochs;
};

/// Half of the records have 1 epoch, half have 20: so many epochs have the steps of two records.
constexpr std::int64_t epochs_of_one_and_other = 21;

record::Record simulated(const Kind& kind, std::int64_t steps) {
  record::Record record;
  record.header.source = "simulated";
  record.header.outcome = to_text(run::Outcome::complete);
  record.header.experiment = "many_steps_simulated";
  record.header.allocation = kind.allocation;
  record.header.note = "simulated: written by bench_many_steps, nothing was trained";
  record.parameters = {{"model", "mlp", "text", "1"},
                       {"batch", "100", "integer", "1"},
                       {"epochs", std::to_string(kind.epochs), "integer", "epochs"},
                       {"device", "cpu", "text", "1"}};
  record.machines = {{.host = "simulated"}};
  const auto of_epoch = (2 * steps + epochs_of_one_and_other - 1) / epochs_of_one_and_other;
  for (std::int64_t epoch = 0; epoch < kind.epochs; ++epoch) {
    const double start_s = 1 + static_cast<double>(epoch * of_epoch) * kind.step_s;
    for (std::int64_t index = 0; index < of_epoch; ++index) {
      record.iterations.push_back({.epoch = epoch,
                                   .index = index,
                                   .start_s = start_s + static_cast<double>(index) * kind.step_s,
                                   .step_s = kind.step_s,
                                   .samples = 100});
    }
    record.epochs.push_back({.epoch = epoch,
                             .start_s = start_s,
                             .wall_s = static_cast<double>(of_epoch) * kind.step_s,
                             .samples = of_epoch * 100,
                             .iterations = of_epoch});
  }
  return record;
}

/// One file of each kind is written row by row; the others are its copies with a header of their
/// own.
void write_all(const fs::path& folder, std::int64_t records, std::int64_t steps) {
  std::vector<Kind> kinds;
  for (const auto& [allocation, step_s] :
       {std::pair{"cpu2", 0.004}, {"cpu16", 0.002}, {"t4", 0.0005}, {"v100", 0.00025}}) {
    kinds.push_back({allocation, step_s, 1});
    kinds.push_back({allocation, step_s, 20});
  }
  fs::create_directories(folder);
  for (std::int64_t number = 0; number < records; ++number) {
    const auto of_kind = static_cast<std::size_t>(number) % kinds.size();
    const auto path = folder / fmt::format("simulated-{:06}.h5", number);
    const auto first = folder / fmt::format("simulated-{:06}.h5", of_kind);
    if (number == static_cast<std::int64_t>(of_kind)) {
      auto record = simulated(kinds[of_kind], steps);
      record.header.point = fmt::format("simulated-{}", number);
      record::write_record(path, record);
      fs::remove(fs::path(path).replace_extension(".jsonl"));  // three times the size of the record
      continue;
    }
    fs::copy_file(first, path);
    auto file = record::h5::File::open(path, record::h5::File::Mode::update);
    auto header = record::read_header(file);
    header.point = fmt::format("simulated-{}", number);
    record::write_header(file, header);
    file.close();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto records = argc == 4 ? parse_integer(argv[2]) : std::nullopt;
  const auto steps = argc == 4 ? parse_integer(argv[3]) : std::nullopt;
  if (!records || !steps) {
    fmt::print(stderr, "usage: bench_many_steps FOLDER RECORDS MEAN_STEPS\n");
    return exit_bad_input;
  }
  write_all(argv[1], *records, *steps);
  return exit_done;
}
