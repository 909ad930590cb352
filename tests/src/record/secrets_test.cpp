#include "src/record/secrets.hpp"

#include <gmock/gmock.h>

#include "src/record/reader.hpp"
#include "src/record/writer.hpp"
#include "tests/files.hpp"

namespace epochcast::record {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RecordSecrets, AreInNeitherFile) {
  const TemporaryFolder folder;
  Record record;
  record.header.note = "read from redis://user:s3cr3t@host";
  record.parameters = {{"command", "python3 x.py --password s3cr3t --lr 0.1", "text", "1"},
                       {"api_key", "s3cr3t", "text", "1"},
                       {"password", "1234567", "integer", "1"},
                       {"lr", "0.1", "number", "1"}};
  record.modules = "OMP_NUM_THREADS=2\nCUDA_SECRET=s3cr3t and more\n";
  {
    RecordWriter writer(folder / "a.h5", record);
    writer.append(ParameterRow{"later_token", "s3cr3t", "text", "1"});
    writer.finish(run::Outcome::failed, "cannot reach http://u:s3cr3t@h/");
  }
  for (const auto* file : {"a.h5", "a.jsonl"}) {
    EXPECT_THAT(bytes_of(folder / file), Not(HasSubstr("s3cr3t"))) << file;
    EXPECT_THAT(bytes_of(folder / file), Not(HasSubstr("1234567"))) << file;
  }
  const auto read = read_record(folder / "a.h5");
  EXPECT_EQ(read.parameters.at(0).value.view(), "python3 x.py --password *** --lr 0.1");
  EXPECT_EQ(read.parameters.at(2).type.view(), "text");
  EXPECT_EQ(read.parameters.at(3).value.view(), "0.1");
  EXPECT_EQ(read.modules, "OMP_NUM_THREADS=2\nCUDA_SECRET=***\n");
  EXPECT_EQ(read.header.outcome_text.view(), "cannot reach http://u:***@h/");
  EXPECT_TRUE(verify_record(folder / "a.h5").consistent);
}

}  // namespace
}  // namespace epochcast::record
