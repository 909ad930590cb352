#include "src/base/config/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace epochcast::run::yaml {
namespace {

using ::testing::HasSubstr;
using Kind = Node::Kind;

std::string refusal(const std::string& text) {
  try {
    parse_text(text, "a.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "";
}

TEST(Yaml, RemembersTheOrderAndTheLines) {
  const auto node = parse_text(
      "name: lab\n\nsweep:\n  epochs: [1, 20]\n  batch:\n    - 64\n    - 256\nempty:\n", "a.yaml");
  ASSERT_EQ(node.map.size(), 3U);
  EXPECT_EQ(node.map[0].first, "name");
  EXPECT_EQ(node.find("name")->line, 1);
  EXPECT_EQ(node.find("name")->file, "a.yaml");
  const auto& sweep = *node.find("sweep");
  EXPECT_EQ(sweep.find("epochs")->line, 4);
  EXPECT_EQ(sweep.find("batch")->list[1].line, 7);
  EXPECT_EQ(node.find("empty")->kind, Kind::null);
  EXPECT_EQ(node.find("empty")->line, 8);
  EXPECT_EQ(node.find("missing"), nullptr);
}

TEST(Yaml, ScalarsKeepTheirText) {
  const auto node =
      parse_text("a: 012\nb: '1:30:00'\nc: 1e3\nd: no\ne: \"x\\ty\"\nf: 'null'\n", "a.yaml");
  const std::vector<std::string> expected{"012", "1:30:00", "1e3", "no", "x\ty", "null"};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(node.map[i].second.text(), expected[i]);
  }
}

TEST(Yaml, AnEmptyFileIsNull) {
  for (const auto* text : {"", "\n\n", "# only a remark\n", "---\n", "~", "null"}) {
    EXPECT_EQ(parse_text(text, "a.yaml").kind, Kind::null) << text;
  }
}

TEST(Yaml, AnchorsAreReplacedByTheirValue) {
  const auto node = parse_text("a: &x {cpus: 2}\nb: *x\n", "a.yaml");
  EXPECT_EQ(node.find("b")->find("cpus")->text(), "2");
}

TEST(Yaml, WhatIsNoYamlIsRefusedWithItsLine) {
  const struct {
    std::string text;
    const char* expected;
  } cases[] = {
      {"a: 1\nb: [1, 2\nc: 3\n", "a.yaml:3: is not YAML"},
      {"a: 1\n  b: 2\n", "a.yaml:2: is not YAML"},
      {"a: *nowhere\n", "a.yaml:1: is not YAML"},
      {"\ta: 1\n", "is not YAML"},
      {"a: 1\nb: 2\na: 3\n", "a.yaml:3: found key 'a' a second time"},
      {"x:\n  a: 1\n  a: 2\n", "a.yaml:3: found key 'a' a second time"},
      {"? [1, 2]\n: 3\n", "a.yaml:1: found a key that is not a single word"},
      {"# remark\n---\na: 1\n---\nb: 2\n", "a.yaml:4: found a second document, expected one"},
      {std::string(20000, '['), "is not YAML"},
      {"a: &x [1, *x]\n", "nested"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(refusal(text), HasSubstr(expected)) << text.substr(0, 100);
  }
}

TEST(Yaml, ABombOfAliasesIsRefusedAtOnce) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 8; ++j) {
      text += "," + before;
    }
    text += "]\n";
  }
  EXPECT_THAT(refusal(text), HasSubstr("more than 100000 values"));
}

TEST(Yaml, AFileIsReadOrTheReasonIsNamed) {
  auto pattern = (std::filesystem::temp_directory_path() / "epochcast-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  std::ofstream(folder / "good.yaml") << "a: 1\n";
  std::ofstream(folder / "empty.yaml");
  EXPECT_EQ(parse_file(folder / "good.yaml").find("a")->text(), "1");
  EXPECT_EQ(parse_file(folder / "empty.yaml").kind, Kind::null);
  const struct {
    std::filesystem::path path;
    const char* expected;
  } cases[] = {{folder / "missing.yaml", "cannot be read: No such file or directory"},
               {folder, "cannot be read: Is a directory"}};
  for (const auto& [path, expected] : cases) {
    try {
      parse_file(path);
      ADD_FAILURE() << path << " was read";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string() + ": " + expected));
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(Yaml, TheWrongKindOfValueIsNamed) {
  const auto node = parse_text("list: [1]\nmap: {a: 1}\nempty:\nword: x\n", "a.yaml");
  const auto message = [&](const char* key, auto use) -> std::string {
    try {
      use(*node.find(key));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto text = [](const Node& n) { (void)n.text(); };
  const auto items = [](const Node& n) { (void)n.items(); };
  const auto map = [](const Node& n) { (void)n.as_map("a cluster"); };
  EXPECT_EQ(message("list", text), "a.yaml:1: found a list, expected a single value");
  EXPECT_EQ(message("map", items), "a.yaml:2: found a group of keys, expected a list");
  EXPECT_EQ(message("empty", text), "a.yaml:3: found nothing, expected a single value");
  EXPECT_EQ(message("word", map), "a.yaml:4: found a single value, expected a cluster");
  EXPECT_EQ(node.find("word")->items().size(), 1U) << "a single value is a list of one";
}

TEST(Yaml, CorruptTextIsReadOrRefused) {
  const std::string whole =
      "name: lab\nmodel: {name: dcgan, depth: 3}\nsweep:\n  epochs: [1, 20]\noverride: &x\n  cpu2: "
      "{batch: 64}\n"
      "other: *x\ntext: |\n  line\n  line\nquoted: \"a\\u00e9b\"\n";
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    auto text = whole;
    for (auto flips = 1 + random() % 6; flips > 0; --flips) {
      const auto place = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[place] = static_cast<char>(random());
          break;
        case 1:
          text.erase(place, 1 + random() % 5);
          break;
        default:
          text.insert(place, 1, "[]{}:,&*|>'\"%@!#?-\n\t "[random() % 22]);
      }
    }
    refusal(text);  // any other exception fails the test
  }
}

}  // namespace
}  // namespace epochcast::run::yaml
