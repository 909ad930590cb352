#include "src/measure/progress/sources/metric_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "src/base/core/files.hpp"

namespace epochcast::progress::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t metrics_at_once = std::size_t{1} << 20;
constexpr int deepest_folder = 6;
constexpr int most_entries = 5000;
constexpr std::size_t most_files = 200;  // each stays open
constexpr int most_skipped_reads = 64;
constexpr const char* beyond =
    "not searched (more than 6 folders deep, 5000 entries, or 200 files of metrics)";

const MetricSpec* metric_format(const std::string& head) {
  for (const auto& [name, spec] : metrics::all()) {
    if (spec.recognises(head)) {
      return &spec;
    }
  }
  return nullptr;
}

}  // namespace

MetricFiles::MetricFiles(std::string path, bool only_new) : path_(std::move(path)) {
  if (only_new) {
    look();
    skip_all();
  }
}

void MetricFiles::look() {
  const auto pass = [this](const fs::path& path, const std::string& why) {
    passed_.emplace(path.string(), why);
  };
  const auto take = [&](const fs::directory_entry& entry, int depth) {
    std::error_code error;
    const bool is_file = entry.is_regular_file(error);
    if (const auto size = is_file ? entry.file_size(error) : 0; error) {
      pass(entry.path(), cannot_be_read(error));
    } else if (is_file) {
      look_at(entry.path(), size);
    } else if (depth > deepest_folder) {
      pass(entry.path(), beyond);
    }
    return depth <= deepest_folder;
  };
  walk(path_, {.take = take, .pass = pass, .most_entries = most_entries});
}

void MetricFiles::look_at(const fs::path& path, std::uintmax_t size) {
  const auto name = path.string();
  const auto seen = sizes_.find(name);
  const bool of_no_format =
      seen != sizes_.end() && (seen->second == size || seen->second >= metric_head);
  if (size == 0 || of_no_format || files_.contains(name)) {
    return;
  }
  const auto head = FollowedFile(name).read(metric_head).bytes;
  const auto* format = metric_format(head);
  if (head.empty() && faccessat(AT_FDCWD, name.c_str(), R_OK, AT_EACCESS) != 0) {
    passed_.emplace(name, cannot_be_read({errno, std::generic_category()}));
  } else if (format == nullptr) {
    sizes_[name] = size;
  } else if (files_.size() >= most_files) {
    passed_.emplace(name, beyond);
  } else {
    files_.emplace(
        name, File{.file = FollowedFile(name), .reader = format->open(path), .format = format});
  }
}

/// A table needs its header: such files are read, as far as they are small.
void MetricFiles::skip_all() {
  for (auto& [name, file] : files_) {
    std::vector<FiledSample> of_before;
    for (int i = 0; i < most_skipped_reads && read_file(file, of_before); ++i) {
      of_before.clear();
    }
    file.file.skip();
    file.has_grown = false;
  }
}

bool MetricFiles::read(std::vector<FiledSample>& samples) {
  bool more = false;
  std::vector<std::pair<File*, std::vector<FiledSample>>> read;
  for (auto& [name, file] : files_) {
    more = read_file(file, read.emplace_back(&file, std::vector<FiledSample>{}).second) || more;
    if (file.has_grown) {
      const auto preference = file.format->preference;
      preference_ = std::min(preference_.value_or(preference), preference);
    }
  }
  set_prefixes();
  for (auto& [file, of_file] : read) {
    if (file->format->preference != preference_) {
      continue;
    }
    for (auto& filed : of_file) {
      for (auto& value : filed.sample.values) {
        value.name.insert(0, file->prefix.value_or(""));
      }
      samples.push_back(std::move(filed));
    }
  }
  return more;
}

bool MetricFiles::read_file(File& file, std::vector<FiledSample>& samples) {
  const auto growth = file.file.read(metrics_at_once);
  if (growth.restarted) {
    file.reader->restart();
  }
  file.has_grown = file.has_grown || !growth.bytes.empty();
  for (auto& sample : file.reader->read(growth.bytes)) {
    samples.push_back({std::move(sample), growth.written_since_1970_s});
  }
  return growth.more;
}

/// Writers with several folders (train and validation) use equal names in them. The first folder is
/// the highest one with a file.
void MetricFiles::set_prefixes() {
  const auto place = [](const fs::path& folder) {
    return std::pair(std::distance(folder.begin(), folder.end()), folder);
  };
  std::vector<std::pair<File*, fs::path>> without;
  for (auto& [name, file] : files_) {
    if (file.has_grown && !file.prefix && file.format->preference == preference_) {
      without.emplace_back(&file, fs::path(name).parent_path());
    }
  }
  if (!first_folder_ && !without.empty()) {
    first_folder_ = std::min_element(without.begin(), without.end(), [&](auto& a, auto& b) {
                      return place(a.second) < place(b.second);
                    })->second;
  }
  for (auto& [file, folder] : without) {
    const auto below = folder.lexically_relative(path_).generic_string();
    const bool plain =
        file->format->whole_names || folder == *first_folder_ || below.empty() || below == ".";
    file->prefix = plain ? "" : below + "/";
  }
}

std::vector<std::string> MetricFiles::remarks() const {
  Remarks passed;
  for (const auto& [name, why] : passed_) {
    passed.add(why, name);
  }
  auto all = passed.lines(path_.string());
  for (const auto& [name, file] : files_) {
    for (auto& line : file.reader->remarks().lines(name)) {
      all.push_back(std::move(line));
    }
  }
  return all;
}

}  // namespace epochcast::progress::sources
