#include "src/training/text/text_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::text {
namespace {

using Labels = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

class TextFile : public ::testing::Test {
 protected:
  TextSamples read(const std::string& bytes, const TextColumns& columns = {}) {
    set_bytes(path_, bytes);
    return read_texts(path_, columns);
  }
  std::string error(const std::string& bytes, const TextColumns& columns = {}) {
    return error_of([&] { read(bytes, columns); });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "table";
};

TEST_F(TextFile, ReadsBothFormsOfGlue) {
  const auto train = read("sentence\tlabel\na \"b\" \t1\n, c\t0\n");
  EXPECT_EQ(train.texts, (Texts{"a \"b\" ", ", c"}));
  EXPECT_EQ(train.labels, (Labels{1, 0}));
  EXPECT_TRUE(train.notes.empty());
  const auto test = read("index\tsentence\r\n0\tx\r\n1\ty");
  EXPECT_EQ(test.texts, (Texts{"x", "y"}));
  EXPECT_TRUE(test.labels.empty());
  EXPECT_NE(error("index\tsentence\n0\tx\n", {.glue = false}).find("label"), std::string::npos)
      << "of any other table a column that is not there is a mistake";
}

TEST_F(TextFile, ReadsCsvWithAnyColumnsAndQuotedNewlines) {
  const auto read_all = read(
      "\xEF\xBB\xBF"
      "id,Content,Label\r\n1,\"two\nlines, \"\"q\"\"\",0\r\n\r\n2,plain, 1 \r\n",
      {.text = "Content", .label = "Label"});
  EXPECT_EQ(read_all.texts, (Texts{"two\nlines, \"q\"", "plain"}));
  EXPECT_EQ(read_all.labels, (Labels{0, 1}));
  EXPECT_EQ(read_all.lines, (std::vector<int>{2, 5}));
}

TEST_F(TextFile, ExcludesRowsWithoutAWholeNumberAndReportsIt) {
  const auto some = read("sentence,label\na,0\nb,Label\n\"c\nc\",1.0\nd,\ne,-1\nf,1\n");
  EXPECT_EQ(some.texts, (Texts{"a", "f"}));
  EXPECT_EQ(some.labels, (Labels{0, 1}));
  EXPECT_EQ(some.notes, Texts{path_ + ": 4 of 6 rows left out; the first: line 3: column 'label' "
                                      "holds no whole number from 0"});
}

TEST_F(TextFile, ReportsWhatIsWrongInOneLine) {
  EXPECT_EQ(error_of([&] { read_texts(path_); }),
            path_ + ": cannot be read: No such file or directory");
  EXPECT_EQ(error(""), path_ + ":1: found nothing, expected a header line");
  EXPECT_EQ(error("sentence\tlabel\n"), path_ + ": found no rows with a text");
  EXPECT_EQ(error("sentence\tlabel\na\tb\n"),
            path_ +
                ": found no rows with a text; the first left out: line 2: column 'label' holds "
                "no whole number from 0");
  EXPECT_EQ(error("sentences\tlabel\na\t1\n"),
            path_ + ":1: found no column 'sentence'; did you mean 'sentences'?");
  EXPECT_EQ(error("text,class\na,1\n", {.text = "text"}),
            path_ + ":1: found no column 'label'; known: text, class");
  EXPECT_EQ(error("text,text,label\na,b,1\n", {.text = "text"}),
            path_ + ":1: found 2 columns 'text', expected one");
  EXPECT_EQ(error("sentence\tlabel\na\t1\nb\t1\t2\n"),
            path_ + ":3: found 3 cells, expected the 2 of the header");
  EXPECT_EQ(error("sentence,label\n\"a\na\",1\n\"b,1\n"),
            path_ + ":4: found a quoted cell that never ends");
}

TEST_F(TextFile, MakesTwoClassesOfMany) {
  EXPECT_EQ(two_classes({0, 1, 2, 0}, {0, 1}), (Labels{1, 1, 0, 1}));
  EXPECT_EQ(two_classes({}, {0}), Labels{});
}

TEST(TextFileOfSst2, HasTheCountsThatTheDataIsKnownBy) {
  EPOCHCAST_NEEDS_SHARED_DATA("text/sst2/dev.tsv");
  const auto dev = read_texts(shared_data("text/sst2/dev.tsv"));
  EXPECT_EQ(dev.texts.size(), 872U);
  EXPECT_EQ(std::count(dev.labels.begin(), dev.labels.end(), 1), 444);
}

}  // namespace
}  // namespace epochcast::text
