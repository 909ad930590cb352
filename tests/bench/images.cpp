// Decoding and resizing to 64 x 64 by our loader beside PIL doing the same (images.py), on the same
// files with the same number of CPUs, in one run. Prints images a second, the median of five passes
// each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/image/decode.hpp"
#include "src/training/image/folder.hpp"
#include "src/training/image/loader.hpp"
#include "src/training/image/resize.hpp"
#include "tests/python.hpp"
#include "tests/src/training/image/fixtures.hpp"

namespace epochcast {
namespace {

constexpr int passes = 5;
constexpr const char* icons = "/usr/share/icons/oxygen/base/";

struct ImageSet {
  std::string name;
  std::vector<image::ImageFile> files;
};

double our_images_per_s(const ImageSet& set, int threads) {
  const SteadyClock clock;
  std::array<double, passes> seconds{};
  for (double& pass : seconds) {
    const double start_s = clock.now_s();
    const image::ImageLoader loader(set.files,
                                    {.threads = threads, .cache_bytes = std::int64_t(1) << 40});
    pass = clock.now_s() - start_s;
  }
  std::nth_element(seconds.begin(), seconds.begin() + passes / 2, seconds.end());
  return double(set.files.size()) / seconds[passes / 2];
}

double pil_images_per_s(const ImageSet& set, int threads, const test::TestFolder& folder) {
  const auto python = tests::python_with("PIL");
  if (!python) {
    throw RunError("no Python with PIL to compare with (env/deps python)");
  }
  std::ofstream list(folder.path("list"));
  for (const image::ImageFile& file : set.files) {
    list << file.path << '\n';
  }
  list.close();
  const std::string command =
      fmt::format("{} -W ignore {}/tests/bench/images.py {} {} {}", shell_quote(*python),
                  EPOCHCAST_SOURCE_DIR, shell_quote(folder.path("list")), threads, passes);
  std::FILE* pipe = popen(command.c_str(), "r");
  double result = 0;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &result) != 1 || pclose(pipe) != 0) {
    throw RunError("cannot run " + command);
  }
  return result;
}

/// Photograph-sized JPEGs: the largest icons, enlarged.
std::vector<image::ImageFile> make_jpegs(const test::TestFolder& folder) {
  std::vector<image::ImageFile> files;
  for (const image::ImageFile& icon : image::list_images(std::string(icons) + "256x256").files) {
    const image::Image large =
        image::resize(image::read_image(icon.path), 500, 375, image::ResizeFilter::bicubic);
    const std::string name = std::to_string(files.size()) + ".jpg";
    files.push_back({folder.write(name, test::jpeg_bytes(large)), icon.label});
  }
  return files;
}

int run() {
  const test::TestFolder folder;
  const std::string small = icons;
  const std::vector<ImageSet> sets{
      {"oxygen PNG 64, 128", image::list_images(small + "64x64:" + small + "128x128").files},
      {"oxygen PNG 256", image::list_images(small + "256x256").files},
      {"JPEG 500 x 375", make_jpegs(folder)},
  };
  fmt::print("{:20} {:>7} {:>7} {:>12} {:>12} {:>7}\n", "images/s", "images", "threads",
             "epochcast", "PIL", "ratio");
  for (const ImageSet& set : sets) {
    for (const int threads : {1, int(std::thread::hardware_concurrency())}) {
      const double ours = our_images_per_s(set, threads);
      const double theirs = pil_images_per_s(set, threads, folder);
      fmt::print("{:20} {:>7} {:>7} {:>12.0f} {:>12.0f} {:>7.2f}\n", set.name, set.files.size(),
                 threads, ours, theirs, ours / theirs);
    }
  }
  return 0;
}

}  // namespace
}  // namespace epochcast

int main() {
  return epochcast::run_program("bench_images", epochcast::run);
}
