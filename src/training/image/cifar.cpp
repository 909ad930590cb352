#include "src/training/image/cifar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::image {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t class_count = 10;
constexpr std::size_t record_bytes = 1 + CifarPictures::picture_bytes;
constexpr std::array<std::string_view, 5> train_files{"data_batch_1.bin", "data_batch_2.bin",
                                                      "data_batch_3.bin", "data_batch_4.bin",
                                                      "data_batch_5.bin"};
constexpr std::array<std::string_view, 1> test_files{"test_batch.bin"};

std::vector<std::string> part_files(const std::string& folder, CifarPart part) {
  std::vector<std::string> paths;
  const auto add = [&](std::string_view file) {
    paths.push_back(folder + "/" + std::string(file));
  };
  if (part == CifarPart::train) {
    std::for_each(train_files.begin(), train_files.end(), add);
  } else {
    std::for_each(test_files.begin(), test_files.end(), add);
  }
  return paths;
}

/// The folder as the archive unpacks it, if present; otherwise `folder`.
std::string folder_of_files(const std::string& folder) {
  const auto unpacked = folder + "/cifar-10-batches-bin";
  return fs::is_directory(unpacked) ? unpacked : folder;
}

void check_cifar_size(const std::string& path) {
  constexpr auto expected = record_bytes * CifarPictures::per_file;
  std::error_code error;
  const auto found = fs::file_size(path, error);
  if (error) {
    throw Error(fmt::format("{}: cannot be read: {}", path, error.message()));
  }
  if (found != expected) {
    throw Error(fmt::format(
        "{}: found {} bytes, expected {}: {} pictures of CIFAR-10's binary form, {} bytes each",
        path, found, expected, CifarPictures::per_file, record_bytes));
  }
}

void append_picture(CifarPictures& pictures, const std::string& record, const std::string& path) {
  const auto label = static_cast<unsigned char>(record[0]);
  if (label >= class_count) {
    throw Error(fmt::format("{}: found the label {} of a picture, expected 0 to {}", path, label,
                            class_count - 1));
  }
  pictures.labels.push_back(label);
  pictures.planes.insert(pictures.planes.end(), record.begin() + 1, record.end());
}

}  // namespace

Image CifarPictures::at(std::size_t index) const {
  constexpr std::size_t plane = std::size_t(side) * side;
  const std::uint8_t* first = planes.data() + index * picture_bytes;
  Image image(side, side);
  for (std::size_t pixel = 0; pixel < plane; ++pixel) {
    for (std::size_t c = 0; c < Image::channels; ++c) {
      image.pixels[pixel * Image::channels + c] = first[c * plane + pixel];
    }
  }
  return image;
}

CifarPictures read_cifar(const std::string& folder, CifarPart part, std::size_t limit) {
  const auto paths = part_files(folder_of_files(folder), part);
  std::for_each(paths.begin(), paths.end(), check_cifar_size);
  const auto there = paths.size() * CifarPictures::per_file;
  const auto count = limit == 0 ? there : std::min(limit, there);
  CifarPictures pictures;
  pictures.labels.reserve(count);
  pictures.planes.reserve(count * CifarPictures::picture_bytes);
  std::string record(record_bytes, '\0');
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    for (int i = 0; i < CifarPictures::per_file && pictures.labels.size() < count; ++i) {
      if (!file.read(record.data(), std::ssize(record))) {
        throw Error(path + ": cannot be read");
      }
      append_picture(pictures, record, path);
    }
  }
  return pictures;
}

std::vector<std::string> cifar_classes(const std::string& folder) {
  const auto path = folder_of_files(folder) + "/batches.meta.txt";
  std::vector<std::string> names;
  for (const auto& line : split(read_text_or_gzip(path), '\n')) {
    if (const auto name = trim(line); !name.empty()) {
      names.emplace_back(name);
    }
  }
  if (names.size() != class_count) {
    throw Error(fmt::format("{}: found the names of {} classes, expected {}", path, names.size(),
                            class_count));
  }
  return names;
}

}  // namespace epochcast::image
