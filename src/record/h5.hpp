// HDF5 as a record needs it: one file with root attributes and tables (one-dimensional, extendible,
// compound rows). Ownership by RAII, errors as exceptions with the library's own words. Only the
// h5*.cpp include <hdf5.h>; nothing here knows what a record is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.hpp"

namespace epochcast::record::h5 {

/// A call of HDF5 failed. One line: what was tried and what the library said.
class Failure : public RunError {
 public:
  using RunError::RunError;
};

/// What a value is in memory: std::int64_t, double, or text of a fixed size padded with NUL.
enum class Kind { integer, number, text };

/// One value: an attribute, or a member of a row.
struct Column {
  std::string_view name;
  Kind kind;
  std::size_t size_bytes;
  std::size_t offset_bytes = 0;    ///< Within the row.
  std::string_view old_name = {};  ///< As Field::old_name.
};

/// A row as it lies in memory.
struct Layout {
  std::vector<Column> columns;
  std::size_t row_bytes = 0;
};

/// Owns one identifier of HDF5.
class Handle {
 public:
  using Id = std::int64_t;
  using Close = int (*)(Id);
  Handle() = default;
  Handle(Id id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }
  Id id() const { return id_; }
  /// Closes now; negative where HDF5 refuses.
  int reset();

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

/// A data set of rows, found and matched by the names of its columns.
class Table {
 public:
  explicit Table(Handle dataset, Handle memory_type = {});
  std::size_t rows() const;
  /// Writes `count` rows that lie in memory as the layout given to create_table, from row `first`
  /// on; the table grows as needed.
  void write(std::size_t first, const void* rows, std::size_t count);
  /// Reads all rows into `rows`, room for rows() of them. Columns that the file has not are left as
  /// they are; those that the file has besides are ignored.
  void read(const Layout& layout, void* rows) const;

 private:
  Handle dataset_;
  Handle memory_type_;
};

/// An open file. Everything written reaches it at the next flush().
///
/// No file locks unless the environment variable HDF5_USE_FILE_LOCKING asks for them: a record has
/// one writer by its name, readers look on while it writes, and many shared file systems refuse
/// locks.
class File {
 public:
  enum class Mode {
    read,
    read_copy,  ///< From a copy in memory, made at once: of a file that is being written.
    update
  };
  /// A new, empty file; throws Failure where the path exists.
  static File create(const std::string& path);
  static File open(const std::string& path, Mode mode);

  Table create_table(const std::string& name, const Layout& layout);
  /// Nothing if there is no such table. Throws Failure if it cannot be a whole table of rows.
  std::optional<Table> open_table(const std::string& name) const;

  /// Sets an attribute of `object` ("/" or a table); over the old value in place where it stands
  /// already.
  void set_attribute(const std::string& object, const Column& column, const void* value);
  void set_attribute(const std::string& object, std::string_view name, std::string_view text);
  /// Reads an attribute of the root into `value`; false if there is none.
  bool read_attribute(const Column& column, void* value) const;

  /// A whole text as a data set of its own.
  void write_text(const std::string& name, const std::string& text);
  std::optional<std::string> read_text(const std::string& name) const;

  /// Makes sure that the disk has room for `bytes` more, where the file system can tell. HDF5 has
  /// no way back once a write fails half-way, so ask before.
  void reserve(std::size_t bytes);
  void flush();
  /// Closes and says whether all of it was written; without it, the destructor closes in silence.
  void close();

 private:
  explicit File(Handle file) : file_(std::move(file)) {}
  Handle file_;
};

}  // namespace epochcast::record::h5
