#include "src/record/writer.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/record/h5.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/pending_rows.hpp"
#include "src/record/record_file.hpp"
#include "src/record/secrets.hpp"

namespace epochcast::record {
namespace {

template <class... Rows>
auto pending_of(const std::tuple<RecordTable<Rows>...>& tables, h5::File& file) {
  return std::apply(
      [&](const auto&... table) { return std::tuple{PendingRows<Rows>(table, file)...}; }, tables);
}
using Pending = decltype(pending_of(record_tables, std::declval<h5::File&>()));

/// Adds the time until its destruction to a sum.
class TimeSpent {
 public:
  explicit TimeSpent(double& sum_s) : sum_s_(sum_s), start_s_(SteadyClock().now_s()) {}
  ~TimeSpent() { sum_s_ += SteadyClock().now_s() - start_s_; }
  TimeSpent(TimeSpent&&) = delete;

 private:
  double& sum_s_;
  double start_s_;
};

std::string unfinished_path(const std::string& path) {
  return path + ".new";
}

}  // namespace

struct RecordWriter::Impl {
  std::string path;
  RecordHeader header;
  bool header_changed = false;
  std::optional<LineFile> line_file;  ///< std::nullopt if no file is written.
  std::string lines;                  ///< Not yet written to line_file.
  std::optional<h5::File> file;
  std::optional<Pending> pending;
  double own_time_s = 0;

  explicit Impl(const Record& start) : header(start.header) { hide_secrets(header); }

  Impl(const std::string& record_path, const Record& start) : Impl(start) {
    path = record_path;
    line_file.emplace(json_lines_path(record_path), LineFile::Mode::create);
    try {
      create(start);
    } catch (...) {
      std::error_code ignored;
      pending.reset();
      file.reset();
      std::filesystem::remove(unfinished_path(path), ignored);
      std::filesystem::remove(json_lines_path(path), ignored);
      throw;
    }
  }

  /// Writes the JSON lines first: they show that the run started even if a kill interrupts the
  /// rest.
  void create(const Record& start) {
    Record about{.modules = start.modules};
    hide_secrets(about);
    if (std::filesystem::exists(path)) {
      throw RunError(fmt::format("{}: exists already", path));
    }
    append_line(lines, "header", header);
    append_modules_line(lines, about.modules);
    line_file->write(lines);
    in_file([&] {
      file = h5::File::create(unfinished_path(path));
      write_header(*file, header);
      file->write_text(modules_name, about.modules);
      pending.emplace(pending_of(record_tables, *file));
    });
    constexpr std::size_t often = 65'536;  // else the text of all rows would be in memory
    std::size_t count = 0;
    for_each_table([&]<class Row>(const RecordTable<Row>& table) {
      for (const auto& row : start.*table.rows) {
        append(row);
        if (++count % often == 0) {
          flush();
        }
      }
    });
    flush();
    std::filesystem::rename(unfinished_path(path), path);
  }

  template <class Row>
  void append(Row row) {
    if constexpr (std::is_same_v<Row, ParameterRow>) {
      hide_secrets(row);
    }
    std::get<PendingRows<Row>>(open_tables()).append(row);
  }

  /// Runs `action` on the HDF5 file; the text of a failure names the record.
  template <class Action>
  void in_file(Action&& action) {
    try {
      action();
    } catch (const h5::Failure& failure) {
      throw RunError(fmt::format("{}: {}", path, failure.what()));
    }
  }

  Pending& open_tables() {
    if (!pending) {
      throw std::logic_error(path + ": the record is finished");
    }
    return *pending;
  }

  template <class Action>
  void for_each_pending(Action&& action) {
    std::apply([&](auto&... rows) { (action(rows), ...); }, open_tables());
  }

  void flush() {
    if (!line_file) {
      return;
    }
    for_each_pending([&](auto& rows) { rows.append_lines(lines); });
    if (header_changed) {
      append_line(lines, "header", header);
    }
    line_file->write(lines);
    in_file([&] { flush_file(); });
  }

  void flush_file() {
    std::size_t room_bytes = 0;
    for_each_pending([&](auto& rows) { room_bytes += rows.room_bytes(); });
    if (room_bytes > 0) {
      file->reserve(room_bytes);
    }
    for_each_pending([&](auto& rows) { rows.write(); });
    file->flush();
    for_each_pending([&](auto& rows) { rows.confirm(); });
    if (header_changed) {  // after the rows: a record marked "complete" has all its rows
      write_header(*file, header);
      file->flush();
      header_changed = false;
    }
  }

  /// That a file of the record is gone: the system goes on writing to what nobody can open.
  std::optional<std::string> removed() const {
    for (const auto& name : {path, json_lines_path(path)}) {
      std::error_code unclear;
      if (line_file && !std::filesystem::exists(name, unclear)) {
        return fmt::format("{}: the record was removed while the run was writing it", name);
      }
    }
    return std::nullopt;
  }

  void update(const RecordHeader& changed) {
    header = changed;
    hide_secrets(header);
    header_changed = true;
    flush();
  }
};

RecordWriter::RecordWriter(const std::string& path, const Record& start) {
  double spent_s = 0;
  {
    const TimeSpent spent(spent_s);
    impl_ = std::make_unique<Impl>(path, start);
  }
  impl_->own_time_s = spent_s;
}

RecordWriter::RecordWriter(const Record& start) : impl_(std::make_unique<Impl>(start)) {}

RecordWriter::~RecordWriter() = default;

void RecordWriter::append_to(const void* table, const void* row) {
  if (!impl_->line_file) {
    return;
  }
  const TimeSpent spent(impl_->own_time_s);
  for_each_table([&]<class Row>(const RecordTable<Row>& other) {
    if (&other == table) {
      impl_->append(*static_cast<const Row*>(row));
    }
  });
}

void RecordWriter::flush() {
  const TimeSpent spent(impl_->own_time_s);
  impl_->flush();
}

void RecordWriter::update(const RecordHeader& header) {
  const TimeSpent spent(impl_->own_time_s);
  impl_->update(header);
}

void RecordWriter::finish(run::Outcome outcome, const std::string& text, run::FailureCause cause) {
  if (impl_->line_file && !impl_->pending) {
    return;
  }
  const TimeSpent spent(impl_->own_time_s);
  auto header = impl_->header;
  const auto removed = impl_->removed();
  if (removed && outcome != run::Outcome::failed) {
    set_outcome(header, run::Outcome::failed, *removed, run::FailureCause::other);
  } else if (outcome_of(header) == run::Outcome::running) {
    set_outcome(header, outcome, text, cause);
  }
  header.finished_at = iso8601();
  impl_->update(header);
  if (!impl_->line_file) {
    return;
  }
  impl_->line_file->sync();
  impl_->pending.reset();
  impl_->in_file([&] { impl_->file->close(); });
  if (removed && outcome != run::Outcome::failed) {
    throw RunError(*removed);
  }
}

const RecordHeader& RecordWriter::header() const {
  return impl_->header;
}

double RecordWriter::own_time_s() const {
  return impl_->own_time_s;
}

void write_record(const std::string& path, const Record& record) {
  if (!std::filesystem::exists(path)) {  // of a call that was killed before the file had its name
    std::error_code ignored;
    std::filesystem::remove(json_lines_path(path), ignored);
    std::filesystem::remove(unfinished_path(path), ignored);
  }
  RecordWriter(path, record);
}

}  // namespace epochcast::record
