// What recording costs: microseconds an appended row and a flush, as the trainer calls them (a row
// a step, a flush every 100 steps, also each epoch), and a read of the result.
//
// usage: bench_record [FOLDER]    (a folder on the file system in question; default: the temporary
// one)
#include <fmt/format.h>

#include <filesystem>

#include "src/base/core/clock.hpp"
#include "src/record/reader.hpp"
#include "src/record/writer.hpp"

int main(int argc, char** argv) {
  using namespace epochcast;
  constexpr std::int64_t flushes = 1000, steps = 100;
  const epochcast::SteadyClock clock;
  const auto folder =
      std::filesystem::path(argc > 1 ? argv[1] : std::filesystem::temp_directory_path().c_str()) /
      fmt::format("bench_record-{}", clock.now_s());
  std::filesystem::create_directories(folder);
  const auto path = (folder / "record.h5").string();
  double append_s = 0, flush_s = 0;
  const double start_s = clock.now_s();
  {
    epochcast::record::RecordWriter writer(path, epochcast::record::Record{});
    const double created_s = clock.now_s();
    fmt::print("create          {:8.1f} us\n", (created_s - start_s) * 1e6);
    for (std::int64_t flush = 0; flush < flushes; ++flush) {
      const double before_s = clock.now_s();
      for (std::int64_t step = 0; step < steps; ++step) {
        writer.append(epochcast::record::Iteration{.epoch = flush,
                                                   .index = step,
                                                   .start_s = 1.5 * static_cast<double>(step),
                                                   .wait_s = 0.001,
                                                   .step_s = 0.25,
                                                   .samples = 256,
                                                   .work = 1e12 / 3});
      }
      const double appended_s = clock.now_s();
      writer.flush();
      append_s += appended_s - before_s;
      flush_s += clock.now_s() - appended_s;
    }
    writer.finish(run::Outcome::complete, "");
    fmt::print("append a row    {:8.3f} us\nflush {} rows  {:8.1f} us\n",
               append_s / (flushes * steps) * 1e6, steps, flush_s / flushes * 1e6);
    fmt::print("all, a row      {:8.3f} us (own_time_s)\n",
               writer.own_time_s() / (flushes * steps) * 1e6);
  }
  const double closed_s = clock.now_s();
  const auto rows = epochcast::record::read_record(path).iterations.size();
  fmt::print("read {} rows {:.1f} ms; {} bytes a row in HDF5, {} in JSON lines\n", rows,
             (clock.now_s() - closed_s) * 1e3, std::filesystem::file_size(path) / rows,
             std::filesystem::file_size(folder / "record.jsonl") / rows);
  std::filesystem::remove_all(folder);
}
