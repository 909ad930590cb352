#include "analysis/import/imported_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <tuple>

#include "analysis/import/importer.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/version.hpp"
#include "src/record/outcome.hpp"
#include "src/record/run/allocation.hpp"

namespace epochcast::analysis {
namespace {

auto place_of(const ImportedRow& row) {
  constexpr double first = -std::numeric_limits<double>::infinity();
  return std::tuple(row.epoch.value_or(first), row.iteration.value_or(first));
}

void add_metrics(record::Record& record, const ImportedRow& row, std::int64_t epoch,
                 std::int64_t iteration) {
  for (const auto& [name, value] : row.metrics) {
    record.metrics.push_back(
        {.epoch = epoch, .name = name, .value = value, .iteration = iteration});
  }
}

/// Epochs without a number, or with the same number, are counted.
void add_iterations(record::Record& record, const std::vector<ImportedRow>& rows) {
  std::map<double, std::int64_t> epochs;
  double first = std::numeric_limits<double>::infinity();
  for (const auto& row : rows) {
    if (row.iteration) {
      epochs.try_emplace(row.epoch.value_or(0), std::ssize(epochs));
      first = std::min(first, *row.iteration);
    }
  }
  double start_s = 0;
  for (const auto& row : rows) {
    if (row.iteration) {
      const auto epoch = epochs.at(row.epoch.value_or(0));
      const auto index = std::llround(*row.iteration - first);
      record.iterations.push_back({.epoch = epoch,
                                   .index = index,
                                   .start_s = start_s,
                                   .step_s = row.duration_s,
                                   .samples = std::llround(row.samples)});
      add_metrics(record, row, epoch, index);
      start_s += row.duration_s;
    }
  }
}

void add_epochs(record::Record& record, const std::vector<ImportedRow>& rows) {
  double start_s = 0;
  for (const auto& row : rows) {
    if (!row.iteration) {
      const auto index = std::ssize(record.epochs);
      record.epochs.push_back({.epoch = index,
                               .start_s = start_s,
                               .wall_s = row.duration_s,
                               .samples = std::llround(row.samples)});
      if (row.epoch) {
        record.metrics.push_back({index, "epoch_number", *row.epoch});
      }
      add_metrics(record, row, index, 0);
      start_s += row.duration_s;
    }
  }
}

/// "3, 5 to 7 and 2 more".
std::string ranges_text(const std::vector<std::pair<double, double>>& ranges) {
  constexpr std::size_t most = 3;
  std::vector<std::string> parts;
  for (const auto& [first, last] : ranges) {
    if (parts.size() == most) {
      return fmt::format("{} and {} more", join(parts, ", "), ranges.size() - most);
    }
    parts.push_back(first == last ? fmt::format("{}", first)
                                  : fmt::format("{} to {}", first, last));
  }
  return join(parts, ", ");
}

/// The numbers of one run's epochs: how often each occurs, and where they go back.
struct EpochNumbers {
  std::map<double, int> epochs = {};  ///< Rows without an iteration.
  std::map<std::pair<double, double>, int> iterations = {};
  std::map<double, int> all = {};
  std::optional<std::pair<double, double>> back = {};  ///< The first: from, to.
  double last = -std::numeric_limits<double>::infinity();

  void add(const ImportedRow& row) {
    if (!row.epoch) {
      return;
    }
    if (*row.epoch < last && !back) {
      back = {last, *row.epoch};
    }
    last = *row.epoch;
    ++all[*row.epoch];
    if (row.iteration) {
      ++iterations[{*row.epoch, *row.iteration}];
    } else {
      ++epochs[*row.epoch];
    }
  }

  std::vector<std::pair<double, double>> missing() const {
    std::vector<std::pair<double, double>> gaps;
    for (auto next = all.begin(); next != all.end(); ++next) {
      if (next != all.begin() && next->first - std::prev(next)->first > 1) {
        gaps.emplace_back(std::floor(std::prev(next)->first) + 1, std::ceil(next->first) - 1);
      }
    }
    return gaps;
  }
};

void note_repeated(const auto& counts, const std::string& run, const char* what,
                   std::vector<std::string>& notes) {
  const auto repeated = [](const auto& entry) { return entry.second > 1; };
  const auto first = std::ranges::find_if(counts, repeated);
  if (first == counts.end()) {
    return;
  }
  const auto count = std::ranges::count_if(counts, repeated);
  std::string number;
  if constexpr (requires { first->first.first; }) {
    number = fmt::format("{} of epoch {}", first->first.second, first->first.first);
  } else {
    number = fmt::format("{}", first->first);
  }
  notes.push_back(fmt::format("run '{}': {} {} occurs {} times{}; all are kept", run, what, number,
                              first->second,
                              count > 1 ? fmt::format(", and {} more do", count - 1) : ""));
}

/// A number that llround can take.
std::optional<double> countable(const std::string& text) {
  constexpr double largest = 9e15;  // 2^53: whole numbers are exact below
  const auto value = parse_double(trim(text));
  return value && std::abs(*value) < largest ? value : std::nullopt;
}

}  // namespace

record::Record new_record(const std::string& run, const RowSource& source) {
  record::Record record;
  const auto stem = std::filesystem::path(source.file).stem().string();
  auto& header = record.header;
  header.tool_version = tool_version;
  header.tool_revision = tool_revision;
  header.source = "imported:" + source.kind;
  header.experiment = stem;
  if (!source.allocation.empty()) {
    run::check_allocation_name(source.allocation);
  }
  header.allocation = source.allocation.empty() ? stem : source.allocation;
  header.point = file_word(run);
  header.job_id = fmt::format("{:016x}", fnv1a(source.file + "\n" + run));
  record::set_outcome(header, run::Outcome::complete);
  header.outcome_text = "imported durations; the source does not state how the run ended";
  record.parameters.push_back({.name = "run", .value = run, .type = "text", .unit = "1"});
  record.machines.emplace_back().gpu_name = source.gpu;
  return record;
}

std::vector<record::Record> records_of(std::vector<ImportedRow> rows, const RowSource& source) {
  std::map<std::string, std::vector<ImportedRow>> runs;
  for (auto& row : rows) {
    runs[row.run].push_back(std::move(row));
  }
  std::vector<record::Record> records;
  for (auto& [run, of_run] : runs) {
    std::stable_sort(of_run.begin(), of_run.end(),
                     [](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
    auto& record = records.emplace_back(new_record(run, source));
    add_iterations(record, of_run);
    add_epochs(record, of_run);
  }
  return records;
}

std::vector<std::string> notes_on_numbers(const std::vector<ImportedRow>& rows, RowOrder order) {
  const bool sorted = order == RowOrder::by_number;
  std::map<std::string, EpochNumbers> runs;
  for (const auto& row : rows) {
    runs[row.run].add(row);
  }
  std::vector<std::string> notes;
  for (const auto& [run, numbers] : runs) {
    note_repeated(numbers.epochs, run, "epoch", notes);
    note_repeated(numbers.iterations, run, "iteration", notes);
    if (const auto gaps = numbers.missing(); !gaps.empty()) {
      notes.push_back(fmt::format("run '{}': no row for the epochs {}; the record {}", run,
                                  ranges_text(gaps),
                                  sorted ? "counts on without them" : "has none for them either"));
    }
    if (numbers.back) {
      notes.push_back(fmt::format("run '{}': epoch {} follows epoch {}: a restart{}", run,
                                  numbers.back->second, numbers.back->first,
                                  sorted ? ", or rows in another order; they are sorted by number"
                                         : "; the record counts on from there"));
    }
  }
  return notes;
}

double positive_number(const std::string& text, const std::string& name) {
  const auto value = countable(text);
  if (!value || !(*value > 0)) {
    throw Error(fmt::format("{}: found '{}', expected a number above 0", name, text));
  }
  return *value;
}

double plausible_duration_s(double seconds, const std::string& text) {
  constexpr double shortest_s = 1e-9;  // a clock's tick
  constexpr double longest_s = 1e9;    // 30 years: it is another unit
  if (!(seconds >= shortest_s && seconds <= longest_s)) {
    throw Error(fmt::format("duration: found '{:.80}', expected 1 ns to 30 years", text));
  }
  return seconds;
}

double counted_number(const std::string& text, const std::string& name) {
  const auto value = countable(text);
  if (!value || *value < 0) {
    throw Error(fmt::format("{}: found '{}', expected a number from 0", name, text));
  }
  return *value;
}

}  // namespace epochcast::analysis
