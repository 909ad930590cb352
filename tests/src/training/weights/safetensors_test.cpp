// safetensors: what is written is read again; whatever else is read gives one line and no byte
// outside the file.
#include "src/training/weights/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "src/training/weights/mapped_file.hpp"
#include "tests/files.hpp"
#include "tests/fuzz.hpp"

namespace epochcast::weights {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: bytes as text
}

std::string file_of(const std::string& header, const std::string& data) {
  std::string file;
  for (auto length = std::uint64_t(header.size()); file.size() < 8; length >>= 8U) {
    file += char(length & 0xffU);
  }
  return file + header + data;
}

std::string error_in(const std::string& file) {
  return error_of([&] { parse_safetensors(as_bytes(file), "a.safetensors"); });
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(Safetensors, WhatIsWrittenIsReadAgain) {
  const TemporaryFolder folder;
  const auto path = folder / "model.safetensors";
  const std::string numbers = "01234567abcdefghABCDEFGH";
  const auto part = [&](std::size_t begin, std::size_t count) {
    return as_bytes(numbers).subspan(begin, count);
  };
  write_safetensors(path, {.tensors = {{"a \"quoted\" näme", DataType::bf16, {3}, part(0, 6)},
                                       {"scalar", DataType::f64, {}, part(8, 8)},
                                       {"empty", DataType::f32, {2, 0, 5}, {}},
                                       {"flags", DataType::boolean, {1, 3}, part(6, 3)}},
                           .metadata = {{"format", "pt"}}});
  const SafetensorsFile file(path);
  std::vector<std::string> rows;
  for (const auto& tensor : file.tensors()) {
    std::string row = tensor.name + "/" + std::string(name_of(tensor.type));
    for (const auto length : tensor.shape) {
      row += "/" + std::to_string(length);
    }
    rows.push_back(row + "=" + text_of(tensor.bytes));
  }
  EXPECT_THAT(rows, ElementsAre("scalar/F64=abcdefgh", "empty/F32/2/0/5=",
                                "a \"quoted\" näme/BF16/3=012345", "flags/BOOL/1/3=67a"));
  EXPECT_THAT(file.metadata(), ElementsAre(std::pair("format", "pt")));
  EXPECT_EQ(bytes_of(path).find("abcdefgh") % 8, 0U) << "the widest come first, aligned";
}

TEST(Safetensors, ReadsWhatTheFormatsOwnWriterMakes) {
  const auto file =
      file_of(R"({"__metadata__":{"format":"pt"},"b":)" + entry("F32", "[1,2]", "[4,12]") +
                  R"(,"a":)" + entry("I8", "[4]", "[0,4]") + "}   ",
              "aaaabbbbbbbb");
  const auto content = parse_safetensors(as_bytes(file), "a");
  ASSERT_EQ(content.tensors.size(), 2U);
  EXPECT_EQ(content.tensors[0].name, "a");
  EXPECT_EQ(text_of(content.tensors[1].bytes), "bbbbbbbb");
  EXPECT_TRUE(parse_safetensors(as_bytes(file_of("{}", "")), "none").tensors.empty());
}

struct Damage {
  std::string file;
  std::string line;
};

TEST(Safetensors, NamesWhatIsWrong) {
  const auto one = [](const std::string& value, const std::string& data = "0123") {
    return file_of("{\"x\":" + value + "}", data);
  };
  const std::vector<Damage> damages{
      {"", "a.safetensors: found 0 bytes, expected safetensors"},
      {"1234567", "a.safetensors: found 7 bytes, expected safetensors"},
      {"PK\3\4 no such", "a.safetensors: found a header of 2337207815413910352 bytes, expected"},
      {file_of("{}", "").substr(0, 9),
       "found a header of 2 bytes, expected safetensors with one of at most 1"},
      {file_of("{\"x\":", ""), "a.safetensors: header: is no JSON at its byte 6"},
      {file_of("[]", ""), "a.safetensors: header: expected tensors by name"},
      {file_of("{}", "0123"), "found 4 bytes after the header, expected 0 for its tensors"},
      {file_of(std::string(100'000, '['), ""), "header: found JSON nested deeper than 3"},
      {one("7"), R"(tensor "x": found "7", expected an object with dtype, shape and data_offsets)"},
      {one(entry("F4", "[1]", "[0,4]")),
       R"(tensor "x": dtype: found "F4", expected one of BOOL, U8,)"},
      {one(entry("F32", "[-1]", "[0,4]")),
       R"(tensor "x": shape: found "[-1]", expected a list of numbers from 0)"},
      {one(entry("F32", "[1.0]", "[0,4]")),
       R"(shape: found "[1.0]", expected a list of numbers from 0)"},
      {one(entry("F32", "1", "[0,4]")), R"(shape: found "1", expected a list of numbers from 0)"},
      {one(entry("F32", "[4294967296,4294967296]", "[0,4]")),
       "expected sizes whose product is a number of bytes"},
      {one(entry("F32", "[18446744073709551615]", "[0,4]")),
       "expected sizes whose product is a number of bytes"},
      {one(entry("F32", "[2]", "[0,4]")),
       R"(data_offsets: found "[0,4]", expected the 8 bytes of its shape and type)"},
      {one(entry("F32", "[1]", "[0,5]")),
       R"(found "[0,5]", expected a begin and an end among the 4 bytes there are)"},
      {one(entry("F32", "[1]", "[4,0]")),
       R"(found "[4,0]", expected a begin and an end among the 4 bytes there are)"},
      {one(entry("F32", "[1]", "[0,4,8]")), R"(found "[0,4,8]", expected a begin and an end)"},
      {one(entry("I8", "[2]", "[2,4]")),
       R"(tensor "x": begins at byte 2 after the header, expected 0)"},
      {one(entry("F32", "[1]", "[0,4]") + ",\"x\":" + entry("F32", "[1]", "[0,4]")),
       R"(header: found the name "x" twice)"},
      {one(entry("F32", "[1]", "[0,4]") + ",\"y\":" + entry("I8", "[2]", "[2,4]")),
       R"(tensor "y": begins at byte 2 after the header, expected 4: no overlap and no gap)"},
      {file_of(R"({"__metadata__":{"format":1}})", ""), "__metadata__: expected texts by name"},
      {one(R"({"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]})"),
       R"(found the name "dtype" twice)"},
      {file_of("{\"a\\nb" + std::string(100, 'c') + "\":7}", ""), R"(tensor "a\nbccc)"},
  };
  for (const auto& [file, line] : damages) {
    const auto error = error_in(file);
    EXPECT_THAT(error, HasSubstr(line));
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_LT(error.size(), 400U) << error;
  }
}

TEST(Safetensors, AFileThatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  const auto read = [](const std::string& path) {
    return error_of([&] { SafetensorsFile{path}; });
  };
  EXPECT_EQ(read(folder / "none"), folder / "none" + ": cannot be read: No such file or directory");
  EXPECT_EQ(read(folder.path()), folder.path() + ": found a folder or device, expected a file");
  set_bytes(folder / "empty", "");
  EXPECT_EQ(read(folder / "empty"), folder / "empty" + ": found 0 bytes, expected safetensors");
}

TEST(Safetensors, AFileThatCannotBeWrittenIsLeftAsItWas) {
  EXPECT_THROW(write_safetensors("/proc/none/model.safetensors", {}), RunError);
}

TEST(SafetensorsFuzz, DamagedFilesGiveTensorsOrOneLine) {
  const std::string data(32, 'x');
  const auto whole = file_of(
      R"({"__metadata__":{"format":"pt"},"weight":)" + entry("F32", "[2,3]", "[0,24]") +
          R"(,"bias":)" + entry("F16", "[3]", "[24,30]") + R"(,"none":)" +
          entry("I64", "[0]", "[30,30]") + R"(,"flag":)" + entry("BOOL", "[2]", "[30,32]") + "}",
      data);
  tests::Damage damage(1, {"0", "1", "9", "[", "]", "{", "}", "\"", ",", ":", "-", ".", "e", "\\",
                           "18446744073709551615", "null", "\"weight\":", "\xff"});
  std::size_t sum = 0;
  tests::fuzz(tests::fuzz_inputs(1'000), "a: ", [&] {
    auto file = damage.of(whole);
    if (damage.below(2) == 0 && file.size() >= 8 + data.size()) {  // reaches what the header says
      file = file_of(file.substr(8, file.size() - 8 - data.size()), data);
    }
    // of exactly its size, so that the sanitizer sees one byte too many
    const std::vector<char> exact(file.begin(), file.end());
    for (const auto& tensor : parse_safetensors(std::as_bytes(std::span(exact)), "a").tensors) {
      for (const auto byte : tensor.bytes) {
        sum += std::to_integer<std::size_t>(byte);
      }
    }
  });
  EXPECT_GT(sum, 0U);
}

TEST(MappedFile, NamesWhatStandsInThePlaceOfWeights) {
  const TemporaryFolder folder;
  for (const auto& [content, what] :
       {std::pair{"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
                  "found a Git LFS pointer, not the file itself"},
        {"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
         "found an HTML page, not the file itself"}}) {
    set_bytes(folder / "model.safetensors", content);
    EXPECT_THAT(error_of([&] { MappedFile(folder / "model.safetensors"); }), HasSubstr(what));
  }
}

}  // namespace
}  // namespace epochcast::weights
