#include "src/progress/sources/metric_files.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace epochcast::progress::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t metrics_at_once = std::size_t{1} << 20;
constexpr int deepest_folder = 6;
constexpr int most_entries = 5000;

/// Calls `take` for each regular file: the path itself, or what is in the folder. Never throws.
void for_each_file(const fs::path& path,
                   const std::function<void(const fs::path&, std::uintmax_t)>& take) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    const auto size = fs::file_size(path, error);
    take(path, error ? 0 : size);
    return;
  }
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error);
  for (int entries = 0; !error && at != fs::end(at) && entries < most_entries; ++entries) {
    if (at.depth() >= deepest_folder) {
      at.disable_recursion_pending();
    }
    std::error_code of_file;
    if (at->is_regular_file(of_file)) {
      const auto size = at->file_size(of_file);
      take(at->path(), of_file ? 0 : size);
    }
    at.increment(error);
  }
}

const MetricSpec* format_of(const std::string& head) {
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
    for_each_file(path_, [this](const fs::path& file, std::uintmax_t size) {
      old_sizes_[file.string()] = size;
    });
  }
}

void MetricFiles::look() {
  for_each_file(path_, [this](const fs::path& file, std::uintmax_t size) { look_at(file, size); });
}

void MetricFiles::look_at(const fs::path& path, std::uintmax_t size) {
  const auto name = path.string();
  const auto old = old_sizes_.find(name);
  const bool untouched = old != old_sizes_.end() && old->second == size;
  const auto seen = sizes_.find(name);
  const bool of_no_format =
      seen != sizes_.end() && (seen->second == size || seen->second >= metric_head);
  if (size == 0 || untouched || of_no_format || files_.contains(name)) {
    return;
  }
  const auto* format = format_of(FollowedFile(name).read(metric_head).bytes);
  if (format == nullptr || format->preference > preference_.value_or(format->preference)) {
    sizes_[name] = size;
    return;
  }
  if (format->preference < preference_.value_or(format->preference)) {
    files_.clear();
    first_folder_.reset();
  }
  preference_ = format->preference;
  files_.emplace(name, File{.file = FollowedFile(name),
                            .reader = format->open(),
                            .prefix = format->repeats ? "" : prefix_of(path),
                            .old_bytes = old == old_sizes_.end() ? 0 : old->second});
}

/// Writers with several folders (train and validation) use equal names in them.
std::string MetricFiles::prefix_of(const fs::path& file) {
  const auto folder = file.parent_path();
  if (!first_folder_) {
    first_folder_ = folder;
  }
  const auto below = folder.lexically_relative(path_).generic_string();
  return folder == *first_folder_ || below.empty() || below == "." ? "" : below + "/";
}

bool MetricFiles::read(std::vector<FiledSample>& samples) {
  bool more = false;
  for (auto& [name, file] : files_) {
    read_file(file, samples, more);
  }
  return more;
}

void MetricFiles::read_file(File& file, std::vector<FiledSample>& samples, bool& more) {
  // Bytes of before the run are read apart from those of the run, so that they can be left out.
  const bool is_old = file.old_bytes > 0;
  const auto growth = file.file.read(
      is_old ? std::min<std::uintmax_t>(file.old_bytes, metrics_at_once) : metrics_at_once);
  if (growth.restarted) {
    file.reader->restart();
    file.old_bytes = 0;
  } else if (is_old) {
    file.old_bytes -= std::min<std::uintmax_t>(file.old_bytes, growth.bytes.size());
  }
  more = more || growth.more;
  for (auto& sample : file.reader->read(growth.bytes)) {
    if (is_old && !growth.restarted && !sample.since_1970_s) {
      continue;
    }
    for (auto& value : sample.values) {
      value.name.insert(0, file.prefix);
    }
    samples.push_back({std::move(sample), growth.written_since_1970_s});
  }
}

std::vector<std::string> MetricFiles::remarks() const {
  std::vector<std::string> all;
  for (const auto& [name, file] : files_) {
    for (auto& line : file.reader->remarks().lines(name)) {
      all.push_back(std::move(line));
    }
  }
  return all;
}

}  // namespace epochcast::progress::sources
