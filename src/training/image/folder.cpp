#include "src/training/image/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::image {
namespace {

namespace fs = std::filesystem;

/// The suffixes of torchvision. The list is longer than what decode.hpp supports, so that an
/// unsupported file is reported instead of silently missing.
constexpr std::array<std::string_view, 9> endings{".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                  ".pgm", ".tif",  ".tiff", ".webp"};

using ClassFiles = std::map<std::string, std::vector<std::string>>;

bool has_image_ending(const fs::path& path) {
  const auto ending = to_lower(path.extension().string());
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

/// The result of one traversal: the images found and the number of links skipped.
struct Walk {
  /// Pairs of (folder, name), which sort as in torchvision.
  std::vector<std::pair<std::string, std::string>> images;
  std::int64_t links = 0;

  template <class Iterator>
  void collect(const Iterator& entries) {
    for (const fs::directory_entry& entry : entries) {
      if (entry.is_symlink()) {
        links += has_image_ending(entry.path()) ? 1 : 0;
      } else if (entry.is_regular_file() && has_image_ending(entry.path())) {
        images.emplace_back(entry.path().parent_path().string(), entry.path().filename().string());
      }
    }
  }

  std::vector<std::string> sorted_paths() {
    std::sort(images.begin(), images.end());
    std::vector<std::string> paths;
    for (const auto& [folder, name] : images) {
      paths.push_back((fs::path(folder) / name).string());
    }
    return paths;
  }
};

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// Whether `entry` of `root` is a folder, or a link to a folder that neither contains `root` nor is
/// inside it.
bool is_class(const fs::directory_entry& entry, const fs::path& root) {
  std::error_code dangling;
  if (!entry.is_symlink() || !entry.is_directory(dangling)) {
    return entry.is_directory(dangling);
  }
  const auto target = fs::canonical(entry.path());
  const auto here = fs::canonical(root);
  return !is_within(target, here) && !is_within(here, target);
}

void list_root(const fs::path& root, ClassFiles& classes) {
  bool any_class = false;
  std::int64_t links = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    if (!is_class(entry, root)) {
      continue;
    }
    Walk walk;
    walk.collect(fs::recursive_directory_iterator(entry.path()));
    links += walk.links;
    if (!walk.images.empty()) {
      append(classes[entry.path().filename().string()], walk.sorted_paths());
      any_class = true;
    }
  }
  if (any_class) {
    return;
  }
  Walk flat;
  flat.collect(fs::directory_iterator(root));
  links += flat.links;
  if (flat.images.empty()) {
    throw Error(fmt::format(
        "{}: found no images ({} symbolic links are not followed); expected files with one of "
        "the endings {}",
        root.string(), links, fmt::join(endings, " ")));
  }
  append(classes[fs::canonical(root).filename().string()], flat.sorted_paths());
}

void check_folder(const std::string& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (!fs::exists(status)) {
    throw Error(fmt::format("{}: no such folder of images", root));
  }
  if (!fs::is_directory(status)) {
    throw Error(fmt::format("{}: found a file, expected a folder of images", root));
  }
}

}  // namespace

ImageFolder list_images(const std::string& path) {
  if (path.empty()) {
    throw Error("the folder of images is not given; expected a path, or several separated by ':'");
  }
  ClassFiles classes;
  for (const std::string& root : split(path, ':')) {
    check_folder(root);
    try {
      list_root(root, classes);
    } catch (const fs::filesystem_error& error) {
      throw Error(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    }
  }
  ImageFolder result;
  for (const auto& [name, files] : classes) {
    for (const std::string& file : files) {
      result.files.push_back({file, std::int64_t(result.classes.size())});
    }
    result.classes.push_back(name);
  }
  return result;
}

}  // namespace epochcast::image
