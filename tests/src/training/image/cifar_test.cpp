#include "src/training/image/cifar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files.hpp"
#include "tests/fuzz.hpp"
#include "tests/src/training/image/made_cifar.hpp"

namespace epochcast::image {
namespace {

using test::MadeCifar;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST(Cifar, TheArchivesOwnFolderIsAccepted) {
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

TEST(CifarFuzz, DamagedFilesGiveTheirPicturesOrOneLine) {
  constexpr std::size_t pictures = 2;
  constexpr auto record = 1 + CifarPictures::picture_bytes;
  const MadeCifar made;
  const auto file = made.folder / "test_batch.bin";
  const std::string whole(pictures * record, '\x5');  // labels of 5 wherever a record begins
  tests::Damage damage(6, {"\x9", "\xa", "\xff", std::string(8, '\0'), std::string(record, '\x9')});
  tests::fuzz(tests::fuzz_inputs(1'000), file + ": ", [&] {
    auto bytes = damage.of(whole);
    bytes.resize(pictures * record);
    bytes[damage.below(pictures) * record] = char(damage.below(13));
    const auto size =
        damage.below(8) == 0 ? damage.below(2 * MadeCifar::file_bytes) : MadeCifar::file_bytes;
    tests::rewrite(file, bytes);
    std::filesystem::resize_file(file, size);
    const auto read = read_cifar(made.folder.path(), CifarPart::test, pictures);
    ASSERT_EQ(size, MadeCifar::file_bytes);
    ASSERT_EQ(read.labels.size(), pictures);
    std::string again;
    for (std::size_t i = 0; i < pictures; ++i) {
      ASSERT_TRUE(read.labels[i] >= 0 && read.labels[i] < 10);
      again += char(read.labels[i]);
      again.append(read.planes.begin() + std::ptrdiff_t(i * CifarPictures::picture_bytes),
                   read.planes.begin() + std::ptrdiff_t((i + 1) * CifarPictures::picture_bytes));
    }
    ASSERT_EQ(again, bytes);
  });
}

TEST(CifarFuzz, DamagedNamesOfClassesAreTenOrOneLine) {
  const MadeCifar made;
  const auto file = made.folder / "batches.meta.txt";
  const auto whole = bytes_of(file);
  tests::Damage damage(7, {"\n", "\r\n", " ", "\xff", std::string(1, '\0'), "\x1f\x8b\x8"});
  tests::fuzz(tests::fuzz_inputs(1'000), file + ": ", [&] {
    tests::rewrite(file, damage.of(whole));
    ASSERT_EQ(cifar_classes(made.folder.path()).size(), 10U);
  });
}

}  // namespace
}  // namespace epochcast::image
