#include "src/output/plot/picture_file.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"

namespace epochcast::plot {
namespace {

constexpr const char* converter = "rsvg-convert";
constexpr double most_s = 120;

std::string suffix_of(const std::string& path) {
  const auto suffix = to_lower(std::filesystem::path(path).extension().string());
  return suffix.empty() ? suffix : suffix.substr(1);
}

/// A folder for what the program reads, gone afterwards.
class WorkFolder {
 public:
  WorkFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "epochcast-plot-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw RunError(pattern + ": cannot be created");
    }
    path_ = pattern;
  }
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Throws RunError with the first line that the program printed, unless it made the file.
void run(const std::vector<std::string>& words, const std::string& made) {
  const auto result = process::run_command(words, most_s);
  std::error_code ignored;
  if (!result.ok() || std::filesystem::file_size(made, ignored) == 0) {
    const auto text = std::string(trim(result.err));
    throw RunError(fmt::format("{} failed: {}", words.front(),
                               result.timed_out ? "it took longer than two minutes"
                                                : printable(text.substr(0, text.find('\n')))));
  }
}

/// Under its final name only when it is whole.
void move_to(const std::string& made, const std::string& path) {
  write_file(path, read_file(made));
}

void convert(const std::string& path, const std::string& format, const std::vector<Chart>& charts,
             SvgOptions options) {
  const WorkFolder folder;
  const auto made = folder / ("picture." + format);
  options.theme = Theme::light;
  write_file(folder / "picture.svg", svg(charts, options));
  std::vector<std::string> words{converter, "--unlimited", "--format=" + format,
                                 "--output=" + made};
  if (format == "png") {
    words.emplace_back("--zoom=2");
  }
  words.push_back(folder / "picture.svg");
  run(words, made);
  move_to(made, path);
}

}  // namespace

void require_picture_format(const std::string& path) {
  const auto suffix = suffix_of(path);
  if (suffix == "svg") {
    return;
  }
  if (suffix != "png" && suffix != "pdf") {
    throw Error(
        fmt::format("--output: found '{}', expected a file name that ends in .svg, .png or .pdf",
                    printable(path)));
  }
  if (!process::is_executable(converter)) {
    throw Error(fmt::format(
        "--output: '{}' needs {} (Debian: librsvg2-bin), which is not in PATH; .svg needs no "
        "program",
        printable(path), converter));
  }
}

void write_picture(const std::string& path, const std::vector<Chart>& charts,
                   const SvgOptions& options) {
  require_picture_format(path);
  if (const auto suffix = suffix_of(path); suffix != "svg") {
    convert(path, suffix, charts, options);
  } else {
    write_file(path, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg(charts, options));
  }
}

}  // namespace epochcast::plot
