// The files of a run that hold metrics: found, recognised, read as they grow.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/progress/sources/followed_file.hpp"
#include "src/measure/progress/sources/metric_spec.hpp"

namespace epochcast::progress::sources {

/// A sample, and when its file was last written at the time it was read.
struct FiledSample {
  Sample sample;
  double written_since_1970_s = 0;
};

class MetricFiles {
 public:
  /// With `only_new`, what the files hold already is left out.
  MetricFiles(std::string path, bool only_new);

  /// Looks for files that are new.
  void look();
  /// At most 1 MiB of each file that was not read before. Returns whether there is more.
  bool read(std::vector<FiledSample>& samples);
  /// "NAME: ..." of every file.
  std::vector<std::string> remarks() const;
  bool any() const { return !files_.empty(); }

 private:
  struct File {
    FollowedFile file;
    std::unique_ptr<MetricReader> reader;
    const MetricSpec* format = nullptr;
    bool has_grown = false;             ///< Since this was made.
    std::optional<std::string> prefix;  ///< Of its names.
  };

  void look_at(const std::filesystem::path& path, std::uintmax_t size);
  void skip_all();
  /// The samples of one file; returns whether there is more.
  bool read_file(File& file, std::vector<FiledSample>& samples);
  void set_prefixes();

  std::filesystem::path path_;
  std::map<std::string, std::uintmax_t> sizes_;  ///< Of files that are of no format, so far.
  std::map<std::string, File> files_;
  std::optional<int> preference_;  ///< Of the format that counts.
  std::optional<std::filesystem::path> first_folder_;
};

}  // namespace epochcast::progress::sources
