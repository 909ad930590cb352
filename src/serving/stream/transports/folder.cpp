// A folder with one file for each batch: SOURCE_NUMBER.json, as the study has them (batch_7.json).
// What is answered moves to its subfolder "archive".
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "src/base/cli/report.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/pending_file.hpp"
#include "src/base/core/text.hpp"
#include "src/serving/stream/delivered.hpp"
#include "src/serving/stream/transport.hpp"

namespace epochcast::stream::transports {
namespace folder_transport {

namespace fs = std::filesystem;

constexpr double poll_s = 0.02;
constexpr double report_after_s = 10;  ///< A file that cannot be read for so long is reported.

struct Name {
  std::string source;
  std::int64_t id = 0;
};

/// Nothing for a file that is no batch, among them those that a producer still writes.
std::optional<Name> parse_name(const std::string& name) {
  constexpr std::string_view ending = ".json";
  const auto underscore = name.rfind('_');
  if (!name.ends_with(ending) || underscore == std::string::npos || underscore == 0 ||
      name.front() == '.') {
    return std::nullopt;
  }
  const auto first = underscore + 1;
  const auto id =
      parse_integer(std::string_view(name).substr(first, name.size() - ending.size() - first));
  return id && *id >= 0 ? std::optional(Name{name.substr(0, underscore), *id}) : std::nullopt;
}

using Batches = std::map<std::string, std::map<std::int64_t, fs::path>>;

/// The files of batches by their source and number.
Batches list(const fs::path& folder) {
  Batches batches;
  for (const auto& entry : entries_of(folder)) {
    if (const auto name = parse_name(entry.path().filename())) {
      batches[name->source][name->id] = entry.path();
    }
  }
  return batches;
}

fs::path archive_of(const fs::path& folder) {
  return folder / "archive";
}

void wait(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// Names in a folder survive a power failure only when the folder is synced, too.
void sync_folder(const fs::path& folder) {
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() >= 0) {
    fsync(opened.number());
  }
}

double file_time_s(fs::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration<double>(system.time_since_epoch()).count();
}

class FolderSource final : public Source {
 public:
  FolderSource(const std::string& folder, const Sink& sink)
      : folder_(folder), sink_(sink), delivered_(sink) {
    make_folder(archive_of(folder_));
  }

  std::optional<Delivery> next(double patience_s) override {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
    for (;;) {
      if (auto found = from_listing()) {
        return found;
      }
      first_seen_ = firsts();
      listing_ = list(folder_);
      if (auto found = from_listing()) {
        return found;
      }
      if (std::chrono::steady_clock::now() >= end) {
        return std::nullopt;
      }
      wait(poll_s);
    }
  }

  void done(const Delivery& delivery) override { archive(delivery.receipt); }

 private:
  /// The next batch of the first source that has one.
  std::optional<Delivery> from_listing() {
    for (auto& [source, files] : listing_) {
      while (!files.empty() && files.begin()->first <= delivered_.last(source)) {
        const auto [id, path] = *files.begin();
        files.erase(files.begin());
        if (delivered_.is_durable(source, id)) {
          put_aside(source, id, path);
        }
      }
      if (files.empty() || !is_next(source, files.begin()->first)) {
        continue;
      }
      if (auto delivery = read(source, files.begin()->first, files.begin()->second)) {
        files.erase(files.begin());
        delivered_.note(source, delivery->batch.id);
        return delivery;
      }
    }
    return std::nullopt;
  }

  /// A listing may miss a file that is created meanwhile and show a later one. So the first batch
  /// of a source is 0, or the lowest of two listings; each later one has the next number.
  bool is_next(const std::string& source, std::int64_t id) {
    const auto last = delivered_.last(source);
    if (last == Sink::none) {
      const auto seen = first_seen_.find(source);
      return id == 0 || (seen != first_seen_.end() && seen->second == id);
    }
    if (id != last + 1) {
      report_waiting(
          fmt::format("{}/{}_{}.json", folder_.string(), source, last + 1),
          "is missing, and later batches wait for it; to leave it out, write [] into it");
    }
    return id == last + 1;
  }

  std::map<std::string, std::int64_t> firsts() const {
    std::map<std::string, std::int64_t> firsts;
    for (const auto& [source, files] : listing_) {
      if (!files.empty()) {
        firsts[source] = files.begin()->first;
      }
    }
    return firsts;
  }

  /// Nothing while only a part of the file is written.
  std::optional<Delivery> read(const std::string& source, std::int64_t id, const fs::path& path) {
    try {
      Delivery delivery{parse_batch(read_file(path), path.string()), path.string()};
      delivery.batch.source = source;
      delivery.batch.id = id;
      if (delivery.batch.triggered == 0) {
        std::error_code gone;
        delivery.batch.triggered = file_time_s(fs::last_write_time(path, gone));
      }
      waiting_since_.erase(path.string());
      return delivery;
    } catch (const Error& error) {
      report_waiting(path.string(), std::string("waiting for a complete file: ") + error.what());
      return std::nullopt;
    }
  }

  /// Reports a file that the stream waits for, once, and not at once.
  void report_waiting(const std::string& path, const std::string& reason) {
    const auto now = std::chrono::steady_clock::now();
    const auto [since, is_new] = waiting_since_.emplace(path, now);
    if (!is_new && now - since->second > std::chrono::duration<double>(report_after_s) &&
        reported_.insert(path).second) {
      cli::report(path + ": " + reason);
    }
  }

  /// A file that comes after its batch was answered: the same again moves to the archive. Other
  /// items would be lost there, so they stay.
  void put_aside(const std::string& source, std::int64_t id, const fs::path& path) {
    if (left_.contains(path.string())) {
      return;
    }
    if (id < delivered_.first(source) || !is_same(source, id, path)) {
      left_.insert(path.string());
      cli::report(
          fmt::format("{}: is not answered: batches up to {} of this source were answered "
                      "before, this one with other items or not at all; give it the next "
                      "number",
                      path.string(), delivered_.last(source)));
      return;
    }
    archive(path);
  }

  /// Whether the file has the items that were answered. One that is gone, or not complete, is taken
  /// for the same: a producer that was killed while it released a batch again.
  bool is_same(const std::string& source, std::int64_t id, const fs::path& path) const {
    try {
      const auto content = sink_.content_of(source, id);
      return !content || *content == content_hash(parse_batch(read_file(path), path.string()));
    } catch (const Error&) {
      return true;
    }
  }

  void archive(const fs::path& path) {
    std::error_code ignored;  // a file that stays is archived later
    fs::rename(path, archive_of(folder_) / path.filename(), ignored);
  }

  fs::path folder_;
  const Sink& sink_;
  Delivered delivered_;
  Batches listing_;
  std::map<std::string, std::int64_t> first_seen_;  ///< Lowest ids of the listing before.
  std::map<std::string, std::chrono::steady_clock::time_point> waiting_since_;
  std::set<std::string> reported_;
  std::set<std::string> left_;  ///< Files that are not answered.
};

class FolderTarget final : public Target {
 public:
  explicit FolderTarget(const TargetPlace& place) : place_(place), folder_(place.where) {
    make_folder(archive_of(folder_));
  }

  bool find_next(std::int64_t& next, const StopRequested& /*stop*/) override {
    next = 1;
    for (const auto& folder : {folder_, archive_of(folder_)}) {
      const auto files = list(folder)[place_.source];
      if (!files.empty()) {
        next = std::max(next, files.rbegin()->first + 1);
      }
    }
    return true;
  }

  bool release(std::int64_t id, const std::string& document, const StopRequested& stop) override {
    while (std::ssize(list(folder_)[place_.source]) >= place_.window) {
      if (stop()) {
        return false;
      }
      wait(poll_s);
    }
    PendingFile file(folder_ / fmt::format("{}_{}.json", place_.source, id));
    file.write(document);
    file.replace();
    sync_folder(folder_);
    return true;
  }

  bool finish(const StopRequested& /*stop*/) override { return true; }

 private:
  TargetPlace place_;
  fs::path folder_;
};

}  // namespace folder_transport

TransportSpec folder() {
  return {.summary = "a folder, one file for each batch",
          .form = "folder:PATH",
          .open_source =
              [](const std::string& where, const Sink& sink) {
                return std::make_unique<folder_transport::FolderSource>(where, sink);
              },
          .open_target =
              [](const TargetPlace& place) {
                return std::make_unique<folder_transport::FolderTarget>(place);
              }};
}

}  // namespace epochcast::stream::transports
