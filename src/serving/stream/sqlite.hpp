// SQLite with exceptions. The implementation is the only file that includes sqlite3.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/base/core/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace epochcast::stream {

/// The file could not be read or written. After `is_temporary` the same may succeed later: the disk
/// is full, or another process reads.
class DatabaseError : public RunError {
 public:
  DatabaseError(const std::string& message, bool is_temporary)
      : RunError(message), is_temporary_(is_temporary) {}
  bool is_temporary() const { return is_temporary_; }

 private:
  bool is_temporary_;
};

/// One connection; not thread-safe.
class Database {
 public:
  enum class Mode { create, read };

  Database(const std::string& path, Mode mode);

  /// Runs statements without results.
  void run(const std::string& sql);
  /// Whether begin was run without commit or rollback.
  bool in_transaction() const;
  const std::string& path() const { return path_; }

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  [[noreturn]] void fail(int code) const;
  void require(int code) const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> connection_;
};

/// A prepared statement. bind() sets the parameters from left to right; the first call after step()
/// begins anew.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);

  /// True: there is a row.
  bool step();
  /// For statements without results.
  void run();

  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  int next_parameter();

  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
  bool stepped_ = false;
};

}  // namespace epochcast::stream
