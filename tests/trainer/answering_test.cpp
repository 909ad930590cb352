// epochcast-train serve and stream, with a small network of random weights, from start to end.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "src/record/queries.hpp"
#include "tests/files.hpp"
#include "tests/trainer/running.hpp"
#include "tests/trainer/trainer.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;

/// The whole response to `request`, which asks the server to close the connection.
std::string response_to(const std::string& request, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string response;
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(connection, request.data(), request.size(), MSG_NOSIGNAL) == std::ssize(request)) {
    char bytes[4096];
    for (ssize_t got = 0; (got = recv(connection, bytes, sizeof bytes, 0)) > 0;) {
      response.append(bytes, static_cast<std::size_t>(got));
    }
  }
  close(connection);
  return response;
}

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

  /// "http://127.0.0.1:8000"
  int port() const {
    while (!std::filesystem::exists(folder / "address")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (service.printed().find("error") != std::string::npos) {
        ADD_FAILURE() << service.printed();
        return 0;
      }
    }
    const auto address = bytes_of(in_folder("address"));
    return std::stoi(address.substr(address.rfind(':') + 1));
  }
  static std::string post(const std::string& body) {
    return fmt::format(
        "POST /predict HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
        body.size(), body);
  }

  Running service;
};

TEST_F(AnsweringRequests, UntilItIsToldToStop) {
  const int at = port();
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
