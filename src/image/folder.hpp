// Folders of images by the rules of torchvision's ImageFolder: the classes are the sorted names of
// the folders, the images of a class all files with an image's ending below it. A class may be a
// symbolic link to a folder elsewhere. All other links are skipped: icon sets use them for aliases,
// and the same picture would stand in the set twice.
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
  std::vector<ImageFile> files;      ///< By class, then folder as given, subfolder, name.
};

/// Lists `path`: one folder, or several separated by ':', whose classes of the same name become
/// one. A folder with images but without class folders that hold any is one class of its own name.
/// Throws Error, one line: no such folder, not a folder, no images in it.
ImageFolder list_images(const std::string& path);

}  // namespace epochcast::image
