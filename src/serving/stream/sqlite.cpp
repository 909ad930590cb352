#include "src/serving/stream/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>

namespace epochcast::stream {
namespace {

constexpr int wait_for_others_ms = 5000;

bool may_succeed_later(int code) {
  const int kind = code & 0xFF;
  return kind == SQLITE_FULL || kind == SQLITE_IOERR || kind == SQLITE_BUSY ||
         kind == SQLITE_CANTOPEN;  // the rollback journal cannot be created on a full disk
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}

Database::Database(const std::string& path, Mode mode) : path_(path) {
  sqlite3* connection = nullptr;
  const int flags = mode == Mode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                         : SQLITE_OPEN_READWRITE;  // to roll back after a kill
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) {
    const int reason = sqlite3_system_errno(connection);
    throw DatabaseError(
        fmt::format("{}: cannot be opened: {}", path,
                    reason != 0 ? std::strerror(reason) : sqlite3_errmsg(connection)),
        false);
  }
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, wait_for_others_ms);
}

void Database::fail(int code) const {
  throw DatabaseError(fmt::format("{}: {}", path_, sqlite3_errmsg(connection_.get())),
                      may_succeed_later(code));
}

void Database::require(int code) const {
  if (code != SQLITE_OK) {
    fail(code);
  }
}

void Database::run(const std::string& sql) {
  require(sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(connection_.get()) == 0;
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  database_.require(sqlite3_prepare_v2(database_.connection_.get(), sql.data(),
                                       static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

int Statement::next_parameter() {
  if (stepped_) {
    sqlite3_reset(statement_.get());
    stepped_ = false;
    bound_ = 0;
  }
  return ++bound_;
}

Statement& Statement::bind(std::int64_t value) {
  database_.require(sqlite3_bind_int64(statement_.get(), next_parameter(), value));
  return *this;
}

Statement& Statement::bind(double value) {
  database_.require(sqlite3_bind_double(statement_.get(), next_parameter(), value));
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  database_.require(sqlite3_bind_text(statement_.get(), next_parameter(), value.data(),
                                      static_cast<int>(value.size()), SQLITE_TRANSIENT));
  return *this;
}

bool Statement::step() {
  stepped_ = true;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code != SQLITE_DONE) {
    const DatabaseError error(
        fmt::format("{}: {}", database_.path(), sqlite3_errmsg(database_.connection_.get())),
        may_succeed_later(code));
    sqlite3_reset(statement_.get());  // an open statement would keep the transaction open
    throw error;
  }
  sqlite3_reset(statement_.get());
  return false;
}

void Statement::run() {
  step();
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  return text == nullptr
             ? std::string()
             : std::string(
                   reinterpret_cast<const char*>(text),
                   static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

}  // namespace epochcast::stream
