#include "src/record/reader.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <thread>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/record/isolated.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/record_file.hpp"
#include "src/record/secrets.hpp"

namespace epochcast::record {
namespace {

namespace fs = std::filesystem;

/// States what `salvage` can do about a damaged file.
std::string salvage_hint(const std::string& path) {
  return fs::exists(json_lines_path(path))
             ? fmt::format("; `epochcast-analyze salvage {}` rebuilds it from {}", path,
                           json_lines_path(path))
             : "; there are no JSON lines beside it to rebuild it from";
}

void check_schema(const h5::File& file, const std::string& path) {
  std::int64_t version = 0;
  if (!file.read_attribute({"schema_version", h5::Kind::integer, sizeof(version)}, &version)) {
    throw Error(path + ": is HDF5, but not a record of epochcast (it has no schema_version)");
  }
  if (version > record_schema_version) {
    throw Error(fmt::format(
        "{}: written with schema version {}, this program reads up to {}; a newer epochcast "
        "can read it",
        path, version, record_schema_version));
  }
}

void check_is_there(const std::string& path) {
  if (fs::is_directory(path)) {
    throw Error(path + ": found a folder, expected a record (.h5)");
  }
  if (!fs::exists(path)) {
    throw Error(path + ": no such file" +
                (fs::exists(json_lines_path(path)) ? salvage_hint(path) : ""));
  }
  require_no_pipe(path);
  if (access(path.c_str(), R_OK) != 0) {
    throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  }
}

/// Whether the JSON lines belong to a record: other journals are JSON lines too.
bool tells_of_a_record(const fs::path& lines_path) {
  constexpr std::string_view start = R"({"table":"header")";
  std::string text(start.size(), '\0');
  file_stream(lines_path).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text == start;
}

/// Adds the records of a folder: every .h5, including files that are missing although their JSON
/// lines exist (a kill while the file was created), but not the ones that were salvaged.
void collect(const fs::path& folder, std::set<std::string>& found) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    auto record = entry.path();
    if (record.extension() == ".jsonl" && tells_of_a_record(record)) {
      record.replace_extension(".h5");
    }
    if (record.extension() == ".h5" && !fs::exists(salvaged_path(record))) {
      found.insert(record);
    }
  }
}

// A request to the reading process: for what purpose, then the path of the file.
constexpr char as_it_is = 'i';
constexpr char consistent = 'c';
constexpr char consistent_without_steps = 's';

/// Damage that the file itself does not show: another value, or fewer rows. A kill may leave more
/// lines than rows.
bool differs_from_lines(const std::string& path, const Record& record) {
  const auto lines_path = json_lines_path(path);
  if (!fs::is_regular_file(lines_path) || access(lines_path.c_str(), R_OK) != 0) {
    return false;
  }
  const auto lines = read_json_lines(lines_path, {.only = "epochs"});
  const auto& epochs = lines.record.epochs;
  const bool has_more = epochs.size() > record.epochs.size();
  const bool goes_on = outcome_of(record.header) == run::Outcome::running && !are_quiet(lines_path);
  if (lines.damaged > 0 || (has_more && !goes_on)) {
    return lines.damaged == 0;
  }
  const auto common = std::min(epochs.size(), record.epochs.size());
  const auto text_of = [](const Epoch& epoch) { return row_line("epochs", epoch); };
  return !std::ranges::equal(std::span(record.epochs).first(common),
                             std::span(epochs).first(common), {}, text_of, text_of);
}

/// The steps are checked here and do not leave the reading process if nobody needs them.
void keep_consistent(const std::string& path, char purpose, Record& record) {
  if (const auto problems = inconsistencies(record); !problems.empty()) {
    throw Error(fmt::format("{}: inconsistent: {}", path, join(problems, "; ")));
  }
  if (differs_from_lines(path, record)) {
    throw Error(fmt::format(
        "{}: its epochs differ from its JSON lines; `epochcast-analyze verify {}` says more", path,
        path));
  }
  if (purpose == consistent_without_steps) {
    record.iterations.clear();
    record.telemetry.clear();
    record.telemetry_cpus.clear();
    record.telemetry_gpus.clear();
  }
}

void fill(const std::string& request, Record& record) {
  const char purpose = request.at(0);
  const auto path = request.substr(1);
  const auto file = h5::File::open(path, h5::File::Mode::read);
  check_schema(file, path);
  record.header = read_header(file);
  record.modules = file.read_text(modules_name).value_or("");
  for_each_table([&](const auto& table) { record.*table.rows = read_rows(file, table); });
  hide_secrets(record);  // of a record that an older program wrote
  if (purpose != as_it_is) {
    keep_consistent(path, purpose, record);
  }
}

/// Whether a process may be writing the file now: according to its JSON lines the run has not
/// ended, and the file was changed within the last seconds.
bool may_be_written(const std::string& path) {
  constexpr auto recent = std::chrono::seconds(10);
  const auto lines_path = json_lines_path(path);
  std::error_code gone;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(path, gone);
  return !gone && age < recent && fs::exists(lines_path) &&
         outcome_of(read_json_lines(lines_path).record.header) == run::Outcome::running;
}

}  // namespace

Record read_record(const std::string& path) {
  return RecordReader().read(path);
}

RecordReader::RecordReader() : process_(std::make_unique<IsolatedReader>(fill)) {}
RecordReader::~RecordReader() = default;

Record RecordReader::read(const std::string& path) {
  return read_as(as_it_is, path);
}

Record RecordReader::read_consistent(const std::string& path, Rows rows) {
  return read_as(rows == Rows::all ? consistent : consistent_without_steps, path);
}

Record RecordReader::read_as(char purpose, const std::string& path) {
  constexpr int most_tries = 8;
  constexpr auto pause = std::chrono::milliseconds(50);  // much longer than a writer's flush
  check_is_there(path);
  try {
    for (int tries = 1;; ++tries) {
      try {
        return process_->read(purpose + path);
      } catch (const h5::Failure&) {  // inconsistent if written during the read
        if (tries == most_tries || !may_be_written(path)) {
          throw;
        }
      }
      std::this_thread::sleep_for(pause);
    }
  } catch (const h5::Failure& failure) {
    if (std::string_view(failure.what()).find("lock file") != std::string_view::npos) {
      throw Error(path + ": is locked by its writer, as HDF5_USE_FILE_LOCKING asks");
    }
    throw Error(
        fmt::format("{}: damaged, or not HDF5: {}{}", path, failure.what(), salvage_hint(path)));
  }
}

std::vector<std::string> find_records(const std::vector<std::string>& paths) {
  std::set<std::string> found;
  for (const auto& path : paths) {
    if (!fs::exists(path) && !fs::exists(json_lines_path(path))) {
      throw Error(path + ": no such file or folder");
    }
    if (fs::is_directory(path)) {
      collect(path, found);
    } else {
      found.insert(path);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace epochcast::record
