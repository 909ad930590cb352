#include "src/image/cifar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files.hpp"
#include "tests/src/image/made_cifar.hpp"

namespace epochcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MadeCifar;

TEST(Cifar, ReadsLabelsAndPlanesFileByFile) {
  const MadeCifar made;
  const auto train = read_cifar(made.folder.path(), CifarPart::train, 10'002);
  ASSERT_EQ(train.labels.size(), 10'002U);
  EXPECT_THAT((std::vector(train.labels.begin(), train.labels.begin() + 3)), ElementsAre(9, 0, 0));
  EXPECT_EQ(train.labels[10'000], 2) << "the first of the second file";
  const Image image = train.at(0);
  EXPECT_EQ(image.width, 32);
  EXPECT_EQ(image.height, 32);
  for (int c = 0; c < Image::channels; ++c) {
    EXPECT_EQ(image.row(0)[3 + c], MadeCifar::value(c, 0, 1));
    EXPECT_EQ(image.row(31)[c], MadeCifar::value(c, 31, 0));
  }
  EXPECT_EQ(read_cifar(made.folder.path(), CifarPart::test).labels.size(), 10'000U);
}

TEST(Cifar, TheArchivesOwnFolderMayStandBetween) {
  const MadeCifar made("/cifar-10-batches-bin");
  EXPECT_EQ(read_cifar(made.folder.path(), CifarPart::test, 5).labels.size(), 5U);
  EXPECT_THAT(cifar_classes(made.folder.path()),
              ElementsAre("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse",
                          "ship", "truck"));
}

TEST(Cifar, ATruncatedOrOddFileIsOneClearLine) {
  const MadeCifar made;
  const auto error = [&] {
    return error_of([&] { read_cifar(made.folder.path(), CifarPart::train, 1); });
  };
  const auto last = made.folder / "data_batch_5.bin";
  std::filesystem::resize_file(last, 30'729'999);
  EXPECT_EQ(error(), last +
                         ": found 30729999 bytes, expected 30730000: 10000 pictures of "
                         "CIFAR-10's binary form, 3073 bytes each");
  std::filesystem::remove(last);
  EXPECT_THAT(error(), HasSubstr("data_batch_5.bin: cannot be read: No such file"));
  const MadeCifar other;
  other.set_byte("test_batch.bin", 3073, 10);
  EXPECT_EQ(error_of([&] { read_cifar(other.folder.path(), CifarPart::test); }),
            other.folder / "test_batch.bin" + ": found the label 10 of a picture, expected 0 to 9");
  set_bytes(other.folder / "batches.meta.txt", "cat\n");
  EXPECT_EQ(error_of([&] { cifar_classes(other.folder.path()); }),
            other.folder / "batches.meta.txt" + ": found the names of 1 classes, expected 10");
}

}  // namespace
}  // namespace epochcast
