// The part of HDF5 that a record needs: one file with root attributes and tables (one-dimensional,
// extendible, compound rows). RAII; errors are exceptions with the message of the library. Only
// h5*.cpp include <hdf5.h>; this layer does not depend on the record schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/error.hpp"

namespace epochcast::record::h5 {

/// An HDF5 call failed. One line: the operation and the message of the library.
class Failure : public RunError {
 public:
  using RunError::RunError;
};

/// The type of a value in memory: std::int64_t, double, or text of a fixed size padded with NUL.
enum class Kind { integer, number, text };

/// One value: an attribute, or a member of a row.
struct Column {
  std::string_view name;
  Kind kind;
  std::size_t size_bytes;
  std::size_t offset_bytes = 0;    ///< Within the row.
  std::string_view old_name = {};  ///< Name in older files, read if `name` is missing.
};

/// The memory layout of a row.
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
  /// Closes now. Returns a negative number if HDF5 fails.
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
  /// Writes `count` rows, which have the memory layout given to create_table, starting at row
  /// `first`. The table grows as needed.
  void write(std::size_t first, const void* rows, std::size_t count);
  /// Reads all rows() rows into `rows`. Columns missing in the file are left unchanged; additional
  /// columns of the file are ignored.
  void read(const Layout& layout, void* rows) const;

 private:
  Handle dataset_;
  Handle memory_type_;
};

/// An open file. All data written reaches it at the next flush().
///
/// Files are not locked unless HDF5_USE_FILE_LOCKING requests it: the name of a record is unique to
/// its writer, readers read while it is written, and many shared file systems do not support locks.
class File {
 public:
  enum class Mode { read, update };
  /// Creates an empty file. Throws Failure if the path exists.
  static File create(const std::string& path);
  /// To read, the file is copied into memory first: others may be writing it.
  static File open(const std::string& path, Mode mode);

  Table create_table(const std::string& name, const Layout& layout);
  /// The table; std::nullopt if it does not exist. Throws Failure if it is not a complete table.
  /// With `layout`, rows of that layout can be written.
  std::optional<Table> open_table(const std::string& name, const Layout* layout = nullptr) const;

  /// Sets an attribute of `object` ("/" or a table); overwrites an existing value in place.
  void set_attribute(const std::string& object, const Column& column, const void* value);
  void set_attribute(const std::string& object, std::string_view name, std::string_view text);
  /// Reads an attribute of the root into `value`. Returns false if it does not exist.
  bool read_attribute(const Column& column, void* value) const;

  /// Writes a text as a data set.
  void write_text(const std::string& name, const std::string& text);
  std::optional<std::string> read_text(const std::string& name) const;

  /// Reserves disk space for `bytes` more bytes, if the file system supports it. HDF5 cannot
  /// recover from a write that fails half-way, so call this before writing.
  void reserve(std::size_t bytes);
  void flush();
  /// Closes the file. Throws Failure if not all data was written; the destructor closes silently.
  void close();

 private:
  explicit File(Handle file) : file_(std::move(file)) {}
  Handle file_;
};

}  // namespace epochcast::record::h5
