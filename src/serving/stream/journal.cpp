#include "src/serving/stream/journal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "src/base/core/clock.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/host.hpp"

namespace epochcast::stream {
namespace {

constexpr std::int64_t application_id = 0x45504353;  // "EPCS"
constexpr std::int64_t schema_version = 1;

constexpr const char* schema = R"sql(
CREATE TABLE owner (id TEXT, generation INTEGER, name TEXT);
CREATE TABLE classes (number INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE batches (
  sequence INTEGER PRIMARY KEY, source TEXT, batch_id INTEGER, batch_size INTEGER,
  content INTEGER, triggered REAL, received REAL, start REAL, "end" REAL,
  UNIQUE (source, batch_id));
CREATE TABLE results (
  source TEXT, batch_id INTEGER, position INTEGER, chosen INTEGER, score REAL, label INTEGER,
  refused TEXT, PRIMARY KEY (source, batch_id, position)) WITHOUT ROWID;
)sql";

std::string random_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

/// Who uses the journal, for the message to a second one.
std::string own_name() {
  return fmt::format("process {} on {} since {}", getpid(), host_name(), iso8601());
}

std::int64_t pragma(Database& database, const std::string& name) {
  Statement statement(database, "PRAGMA " + name);
  return statement.step() ? statement.integer(0) : 0;
}

bool is_journal(Database& database) {
  return pragma(database, "application_id") == application_id;
}

[[noreturn]] void refuse_other_file(const std::string& path) {
  throw Error(fmt::format("{}: is no journal of a stream; name another file", path));
}

/// The path, once this process holds its lock.
std::string locked(const std::string& path, FileLock& lock, double patience_s) {
  if (!lock.try_lock_for(patience_s)) {
    throw Error(
        fmt::format("{}: another consumer uses this journal; stop it, or use another one", path));
  }
  return path;
}

}  // namespace

Journal::Journal(const std::string& path, const std::vector<std::string>& classes,
                 double patience_s)
    : lock_(path + ".lock"), database_(locked(path, lock_, patience_s), Database::Mode::create) {
  database_.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA");
  if (pragma(database_, "schema_version") == 0) {
    create();
  } else if (!is_journal(database_)) {
    refuse_other_file(path);
  } else if (pragma(database_, "user_version") > schema_version) {
    throw Error(fmt::format("{}: was written by a newer version of this program", path));
  }
  check_classes(classes);
  take_over();
  read_progress();
}

void Journal::create() {
  database_.run("BEGIN IMMEDIATE");
  database_.run(schema);
  database_.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id,
                            schema_version));
  Statement(database_, "INSERT INTO owner VALUES (?, 0, '')").bind(random_id()).run();
  database_.run("COMMIT");
}

void Journal::check_classes(const std::vector<std::string>& classes) {
  std::vector<std::string> known;
  Statement names(database_, "SELECT name FROM classes ORDER BY number");
  while (names.step()) {
    known.push_back(names.text(0));
  }
  if (known == classes) {
    return;
  }
  if (!known.empty()) {
    throw Error(fmt::format(
        "{}: has the answers of a network with other classes (the first is '{}', expected '{}')",
        database_.path(), known.front(), classes.empty() ? "" : classes.front()));
  }
  database_.run("BEGIN IMMEDIATE");
  Statement insert(database_, "INSERT INTO classes VALUES (?, ?)");
  for (std::size_t number = 0; number < classes.size(); ++number) {
    insert.bind(static_cast<std::int64_t>(number)).bind(classes[number]).run();
  }
  database_.run("COMMIT");
}

void Journal::take_over() {
  database_.run("BEGIN IMMEDIATE");
  Statement(database_, "UPDATE owner SET generation = generation + 1, name = ?")
      .bind(own_name())
      .run();
  Statement owner(database_, "SELECT generation, id FROM owner");
  owner.step();
  generation_ = owner.integer(0);
  id_ = owner.text(1);
  owner.step();
  database_.run("COMMIT");
}

void Journal::check_owner() {
  Statement owner(database_, "SELECT generation, name FROM owner");
  owner.step();
  if (owner.integer(0) != generation_) {
    throw RunError(
        fmt::format("{}: another consumer has taken over this journal ({}); this one ends",
                    database_.path(), owner.text(1)));
  }
}

void Journal::read_progress() {
  Statement statement(database_,
                      "SELECT source, min(batch_id), max(batch_id), count(*) FROM batches "
                      "GROUP BY source");
  while (statement.step()) {
    done_[statement.text(0)] = {statement.integer(1), statement.integer(2)};
    batches_done_ += statement.integer(3);
  }
}

std::int64_t Journal::last_done(const std::string& source) const {
  const std::lock_guard lock(mutex_);
  const auto found = done_.find(source);
  return found == done_.end() ? none : found->second.second;
}

std::int64_t Journal::first_done(const std::string& source) const {
  const std::lock_guard lock(mutex_);
  const auto found = done_.find(source);
  return found == done_.end() ? none : found->second.first;
}

/// With a connection of its own: that of the journal may be in use by the thread that commits.
std::optional<std::uint64_t> Journal::content_of(const std::string& source, std::int64_t id) const {
  Database database(database_.path(), Database::Mode::read);
  Statement content(database, "SELECT content FROM batches WHERE source = ? AND batch_id = ?");
  return content.bind(source).bind(id).step()
             ? std::optional(static_cast<std::uint64_t>(content.integer(0)))
             : std::nullopt;
}

std::int64_t Journal::batches_done() const {
  const std::lock_guard lock(mutex_);
  return batches_done_;
}

void Journal::commit(const AnsweredBatch& batch) {
  in_transaction([&] {
    write_answers(batch);
    write_progress(batch);
  });
  note_done(batch);
}

void Journal::in_transaction(const std::function<void()>& body) {
  const auto roll_back = [&] {
    try {
      if (database_.in_transaction()) {
        database_.run("ROLLBACK");
      }
    } catch (const DatabaseError&) {  // what could not be rolled back now is when it is read next
    }
  };
  try {
    database_.run("BEGIN IMMEDIATE");
    check_owner();
    body();
    database_.run("COMMIT");
  } catch (const DatabaseError& error) {
    roll_back();
    if (error.is_temporary()) {
      throw NotNow(error.what());
    }
    throw;
  } catch (...) {
    roll_back();
    throw;
  }
}

void Journal::write_answers(const AnsweredBatch& batch) {
  Statement insert(database_, "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const auto& answer : batch.answers) {
    insert.bind(batch.source).bind(batch.id).bind(position++).bind(answer.chosen);
    insert.bind(answer.score).bind(answer.label).bind(answer.refused).run();
  }
}

void Journal::write_progress(const AnsweredBatch& batch) {
  Statement insert(database_,
                   "INSERT INTO batches (source, batch_id, batch_size, content, triggered, "
                   "received, start, \"end\") VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(batch.source).bind(batch.id).bind(static_cast<std::int64_t>(batch.answers.size()));
  insert.bind(static_cast<std::int64_t>(batch.content)).bind(batch.triggered);
  insert.bind(batch.received).bind(batch.start).bind(batch.end).run();
}

void Journal::note_done(const AnsweredBatch& batch) {
  const std::lock_guard lock(mutex_);
  const auto [range, is_first] = done_.try_emplace(batch.source, batch.id, batch.id);
  range->second.second = batch.id;
  ++batches_done_;
}

std::vector<ResultRow> read_results(const std::string& path, std::int64_t after_sequence) {
  if (!is_there(path)) {
    throw Error(fmt::format("{}: there is no such file", path));
  }
  Database database(path, Database::Mode::read);
  if (!is_journal(database)) {
    refuse_other_file(path);
  }
  Statement statement(database,
                      "SELECT sequence, source, batch_id, position, name, score, label, "
                      "results.refused FROM batches JOIN results USING (source, batch_id) "
                      "LEFT JOIN classes ON chosen = number WHERE sequence > ? "
                      "ORDER BY sequence, position");
  statement.bind(after_sequence);
  std::vector<ResultRow> rows;
  while (statement.step()) {
    rows.push_back({statement.integer(0), statement.text(1), statement.integer(2),
                    statement.integer(3), statement.text(4), statement.number(5),
                    statement.integer(6), statement.text(7)});
  }
  return rows;
}

}  // namespace epochcast::stream
