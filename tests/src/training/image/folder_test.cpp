#include "src/training/image/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "src/base/core/error.hpp"
#include "tests/src/training/image/test_folder.hpp"

namespace epochcast::image {
namespace {

using test::TestFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string folder_error(const std::string& path) {
  try {
    list_images(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "listed";
}

TEST(ListImages, ClassesAreSortedFoldersAndFilesTheImagesBelow) {
  const TestFolder folder;
  for (const char* name : {"pikachu/2.png", "pikachu/10.JPG", "abra/sub/1.jpeg", "abra/9.webp",
                           "abra/notes.txt", "top.png", "none/readme.md"}) {
    folder.write(name, "x");
  }
  const ImageFolder images = list_images(folder.path());
  EXPECT_THAT(images.classes, ElementsAre("abra", "pikachu"));
  EXPECT_THAT(images.files, ElementsAre(ImageFile{folder.path("abra/9.webp"), 0},
                                        ImageFile{folder.path("abra/sub/1.jpeg"), 0},
                                        ImageFile{folder.path("pikachu/10.JPG"), 1},
                                        ImageFile{folder.path("pikachu/2.png"), 1}));
}

TEST(ListImages, SeveralFoldersShareTheirClasses) {
  const TestFolder folder;
  folder.write("64/apps/a.png", "x");
  folder.write("128/apps/a.png", "x");
  folder.write("128/actions/b.png", "x");
  const ImageFolder images = list_images(folder.path("64") + ":" + folder.path("128"));
  EXPECT_THAT(images.classes, ElementsAre("actions", "apps"));
  EXPECT_THAT(images.files, ElementsAre(ImageFile{folder.path("128/actions/b.png"), 0},
                                        ImageFile{folder.path("64/apps/a.png"), 1},
                                        ImageFile{folder.path("128/apps/a.png"), 1}));
}

TEST(ListImages, AClassMayBeALinkToAFolderElsewhere) {
  const TestFolder folder;
  folder.write("all/n01/a.png", "x");
  folder.write("all/n02/b.png", "x");
  folder.write("some/n01/c.png", "x");
  std::filesystem::create_directory_symlink("../all/n02", folder.path("some/n02"));
  std::filesystem::create_directory_symlink("..", folder.path("some/above"));
  std::filesystem::create_directory_symlink("gone", folder.path("some/n03"));
  const ImageFolder images = list_images(folder.path("some"));
  EXPECT_THAT(images.classes, ElementsAre("n01", "n02"));
  EXPECT_THAT(images.files, ElementsAre(ImageFile{folder.path("some/n01/c.png"), 0},
                                        ImageFile{folder.path("some/n02/b.png"), 1}));
}

TEST(ListImages, SymbolicLinksAreNotFollowedBelowTheFolderItself) {
  const TestFolder folder;
  folder.write("real/apps/a.png", "x");
  std::filesystem::create_symlink("a.png", folder.path("real/apps/alias.png"));
  std::filesystem::create_directory_symlink("apps", folder.path("real/same"));
  std::filesystem::create_directory_symlink("real", folder.path("link"));
  EXPECT_THAT(list_images(folder.path("link")).files,
              ElementsAre(ImageFile{folder.path("link/apps/a.png"), 0}));
}

TEST(ListImages, AFolderWithoutClassFoldersIsOneClass) {
  const TestFolder folder;
  folder.write("sprites/b.png", "x");
  folder.write("sprites/a.png", "x");
  const ImageFolder images = list_images(folder.path("sprites/"));
  EXPECT_THAT(images.classes, ElementsAre("sprites"));
  EXPECT_THAT(images.files, ElementsAre(ImageFile{folder.path("sprites/a.png"), 0},
                                        ImageFile{folder.path("sprites/b.png"), 0}));
}

TEST(ListImages, WhatIsNoFolderOfImagesIsOneClearLine) {
  const TestFolder folder;
  folder.write("file", "x");
  folder.write("empty/notes.txt", "x");
  std::filesystem::create_symlink("nowhere.png", folder.path("empty/link.png"));
  EXPECT_EQ(folder_error(folder.path("none")), folder.path("none") + ": no such folder of images");
  EXPECT_EQ(folder_error(folder.path("file")),
            folder.path("file") + ": found a file, expected a folder of images");
  EXPECT_THAT(folder_error(folder.path("empty")),
              HasSubstr("found no images (1 symbolic links are not followed)"));
  EXPECT_THAT(folder_error(""), HasSubstr("is not given"));
}

TEST(ListImages, TheOxygenIconsAreThoseThatTheirPackageHolds) {
  std::ifstream list("/var/lib/dpkg/info/oxygen-icon-theme.list");
  if (!list) {
    GTEST_SKIP() << "no package oxygen-icon-theme";
  }
  const std::string icons = "/usr/share/icons/oxygen/base/";
  std::map<std::string, std::set<std::string>> expected;  // by size
  std::set<std::string> classes;
  for (std::string path; std::getline(list, path);) {
    for (const std::string size : {"64x64", "128x128"}) {
      const auto folder = icons + size + "/";
      if (path.starts_with(folder) && path.ends_with(".png") &&
          !std::filesystem::is_symlink(path)) {
        expected[size].insert(path);
        classes.insert(path.substr(folder.size(), path.find('/', folder.size()) - folder.size()));
      }
    }
  }
  ASSERT_EQ(expected.size(), 2U);
  for (const auto& [size, paths] : expected) {
    const auto files = list_images(icons + size).files;
    ASSERT_EQ(files.size(), paths.size()) << size;
    for (const auto& file : files) {
      EXPECT_TRUE(paths.contains(file.path)) << file.path;
    }
  }
  EXPECT_EQ(list_images(icons + "64x64:" + icons + "128x128").classes.size(), classes.size());
}

}  // namespace
}  // namespace epochcast::image
