// Lists folders of images by the rules of torchvision's ImageFolder: the classes are the sorted
// names of the folders; the images of a class are all files below its folder that have the suffix
// of an image. A class may be a symbolic link to a folder outside. All other links are skipped,
// because icon sets use them as aliases and the data set would contain the same image twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::image {

struct ImageFile {
  std::string path;
  std::int64_t label = 0;  ///< Index into ImageFolder::classes.
  bool operator==(const ImageFile&) const = default;
};

struct ImageFolder {
  std::vector<std::string> classes;  ///< Sorted, none empty.
  std::vector<ImageFile> files;      ///< By class, then given folder, subfolder, name.
};

/// Lists the images in `path`: one folder, or several separated by ':'. Classes of the same name in
/// several folders are merged. A folder that contains images, but no class folders with images, is
/// one class of its own name. Throws Error in one line if a folder does not exist, is not a folder,
/// or contains no images.
ImageFolder list_images(const std::string& path);

}  // namespace epochcast::image
