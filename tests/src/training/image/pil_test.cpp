// Decoding and resizing held against PIL itself, on real icons and on one file of every kind.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/training/image/decode.hpp"
#include "src/training/image/folder.hpp"
#include "src/training/image/resize.hpp"
#include "tests/python.hpp"
#include "tests/src/training/image/test_folder.hpp"

namespace epochcast::image {
namespace {

using test::TestFolder;

const std::string script = EPOCHCAST_SOURCE_DIR "/tests/src/training/image/pil_reference.py";

void run(const std::string& command) {
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

Image next_reference(std::istream& stream) {
  std::int32_t size[2] = {0, 0};
  stream.read(reinterpret_cast<char*>(size), sizeof size);
  Image image{size[0], size[1]};
  stream.read(reinterpret_cast<char*>(image.pixels.data()), std::streamsize(image.pixels.size()));
  EXPECT_TRUE(stream.good());
  return image;
}

/// The largest difference between two values of the same place; 256 if the sizes differ.
int difference(const Image& ours, const Image& theirs) {
  if (ours.width != theirs.width || ours.height != theirs.height) {
    return 256;
  }
  int largest = 0;
  for (std::size_t i = 0; i < ours.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(ours.pixels[i] - theirs.pixels[i]));
  }
  return largest;
}

void expect_as_pil(const std::string& python, const std::vector<std::string>& paths) {
  const TestFolder folder;
  std::string list;
  for (const std::string& path : paths) {
    list += path + "\n";
  }
  folder.write("paths", list);
  run("'" + python + "' -W ignore '" + script + "' '" + folder.path("out") + "' < '" +
      folder.path("paths") + "'");
  std::ifstream references(folder.path("out"), std::ios::binary);
  for (const std::string& path : paths) {
    const Image image = read_image(path);
    EXPECT_EQ(difference(image, next_reference(references)), 0) << path;
    const Image wider = resize(image, 97, image.height, ResizeFilter::bicubic);
    EXPECT_EQ(difference(wider, next_reference(references)), 0) << path;
    // Of pictures that are not square, Pillow 13 and older ones resize the axes in another order.
    const int allowed = image.width == image.height ? 0 : 1;
    EXPECT_LE(difference(resize(image, 64, 64), next_reference(references)), allowed) << path;
  }
}

TEST(Pil, EveryKindOfPngAndJpegDecodesAndResizesTheSame) {
  const auto python = tests::python_with("PIL");
  if (!python) {
    GTEST_SKIP() << "no Python with Pillow: env/test installs it, or set EPOCHCAST_PYTHON";
  }
  const TestFolder variants;
  run("'" + *python + "' '" + script + "' --variants '" + variants.path() + "'");
  std::vector<std::string> paths;
  for (const ImageFile& file : list_images(variants.path()).files) {
    paths.push_back(file.path);
  }
  ASSERT_GT(paths.size(), 40U);
  expect_as_pil(*python, paths);
}

TEST(Pil, AllOxygenIconsDecodeAndResizeTheSame) {
  const auto python = tests::python_with("PIL");
  const std::string icons = "/usr/share/icons/oxygen/base/";
  if (!python) {
    GTEST_SKIP() << "no Python with Pillow: env/test installs it, or set EPOCHCAST_PYTHON";
  }
  if (!std::filesystem::exists(icons)) {
    GTEST_SKIP() << "no " << icons << ": install oxygen-icon-theme";
  }
  std::vector<std::string> paths;
  for (const ImageFile& file : list_images(icons + "64x64:" + icons + "128x128").files) {
    paths.push_back(file.path);
  }
  ASSERT_GT(paths.size(), 1000U);
  expect_as_pil(*python, paths);
}

}  // namespace
}  // namespace epochcast::image
