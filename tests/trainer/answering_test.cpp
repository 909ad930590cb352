// epochcast-train serve and stream, with a small network of random weights, from start to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "src/record/queries.hpp"
#include "tests/files.hpp"
#include "tests/trainer/requests.hpp"
#include "tests/trainer/running.hpp"
#include "tests/trainer/trainer.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;

class Answering : public TrainerTest {
 protected:
  std::vector<std::string> with_network(const std::string& command,
                                        const std::vector<std::string>& more) const {
    std::vector<std::string> all{program(),
                                 command,
                                 "--model=distilbert",
                                 "--model.layers=1",
                                 "--model.hidden=24",
                                 "--model.heads=4",
                                 "--model.intermediate=40",
                                 "--model.vocabulary=60",
                                 "--model.positions=16",
                                 "--dataset=sst2",
                                 "--dataset.vocabulary=" EPOCHCAST_SOURCE_DIR
                                 "/experiments/texts/vocab.txt",
                                 "--threads=1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string in_folder(const std::string& name) const { return (folder / name).string(); }
};

class AnsweringRequests : public Answering {
 protected:
  AnsweringRequests()
      : service(with_network("serve", {"--port=0", "--address-file=" + in_folder("address")}),
                "serve-1", in_folder("log")) {}

  Running service;
};

TEST_F(AnsweringRequests, UntilItIsToldToStop) {
  const int at = port_in(in_folder("address"), service);
  EXPECT_THAT(response_to("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", at),
              HasSubstr("200 OK"));
  const auto response = response_to(post(R"({"text": ["a moving music", ""]})"), at);
  EXPECT_THAT(response, HasSubstr("200 OK"));
  EXPECT_THAT(response, HasSubstr(R"({"predictions":[[{"label":"NEGATIVE","score":)"));
  EXPECT_THAT(response, HasSubstr(R"({"label":"POSITIVE","score":)"));
  service.send(SIGTERM);
  EXPECT_EQ(service.wait(), 0);
  EXPECT_THAT(service.printed(), HasSubstr("random weights"));
  EXPECT_THAT(service.printed(), HasSubstr("ended, 1 request answered"));
}

TEST_F(Answering, SaysInOneLineWhatIsWrong) {
  const auto error = [&](const std::vector<std::string>& more) {
    const auto result = process::run_command(with_network("serve", more), 60);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(error({"--model=dcgan"}), HasSubstr("epochcast-train: error: "));
  EXPECT_THAT(error({"--weights=/nowhere"}), HasSubstr("/nowhere: no weights there"));
  EXPECT_THAT(error({"--precision=fp31"}), HasSubstr("--precision: found 'fp31'"));
  EXPECT_THAT(error({"--epochs=3"}), HasSubstr("--epochs"));
}

TEST_F(Answering, TheBatchesOfAStreamInAFolder) {
  std::filesystem::create_directories(folder / "stream");
  for (const std::string id : {"1", "2"}) {
    set_bytes(in_folder("stream/batch_" + id + ".json"),
              R"([{"idx": )" + id + R"(, "text": "a moving music", "label": 1}, {"idx": )" + id +
                  R"(, "text": "clever", "label": 0}])");
  }
  const auto result = process::run_command(
      with_network("stream",
                   {"--from=folder:" + in_folder("stream"), "--batches=2", "--point=texts",
                    "--records=" + in_folder("records"), "--work=" + in_folder("work")}),
      300, {{"EPOCHCAST_JOB_ID", "stream-1"}});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "stream/archive/batch_2.json"));
  const auto written = record("texts", "stream-1");
  EXPECT_EQ(record::parameter(written, "model.hidden"), "24");
  EXPECT_TRUE(std::filesystem::exists(folder / "work/texts/stream.sqlite"));
}

}  // namespace
}  // namespace epochcast
