#include "src/base/core/line_buffer.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace epochcast {
namespace {

using testing::ElementsAre;

TEST(LineBuffer, CutsLinesThatAreTooLongHoweverTheBytesCome) {
  const std::string nul("b\0c", 3);
  const auto bytes =
      "a\n\n" + nul + "\n" + std::string(107, 'x') + "\n" + std::string(100, 'y') + "\nend";
  for (const std::size_t size : {1U, 7U, 1000U}) {
    LineBuffer lines(100);
    std::vector<std::string> texts;
    std::vector<std::int64_t> cut;
    const auto take = [&](const FileLine& line) {
      texts.emplace_back(line.text);
      if (line.too_long) {
        cut.push_back(line.number);
      }
    };
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      lines.add(std::string_view(bytes).substr(at, size), take);
    }
    EXPECT_EQ(texts.size(), 5U);
    lines.finish(take);
    EXPECT_THAT(texts,
                ElementsAre("a", "", nul, std::string(100, 'x'), std::string(100, 'y'), "end"));
    EXPECT_THAT(cut, ElementsAre(4));
    lines.restart();
    lines.add("again\n", take);
    EXPECT_EQ(texts.back(), "again");
  }
}

}  // namespace
}  // namespace epochcast
