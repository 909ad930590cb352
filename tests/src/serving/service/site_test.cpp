#include "src/serving/service/site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serving/known_predictor.hpp"
#include "tests/serving/raw_client.hpp"
#include "tests/serving/running_service.hpp"

namespace epochcast::serve {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string fault(const std::string& host, const std::string& origin = "") {
  return fault_of_site({.host = host, .origin = origin}, {"0.0.0.0", "node7.cluster.example"});
}

TEST(Site, OfARequestIsThisMachine) {
  for (const std::string host :
       {"", "localhost:8000", "127.0.0.1:8000", "10.1.2.3", "[::1]:8000", "[fe80::1]", "node7:8000",
        "Node7.Cluster.Example:8000", "node7.cluster.example"}) {
    EXPECT_EQ(fault(host), "") << host;
    EXPECT_EQ(fault(host, "http://" + host), "") << host;
  }
}

TEST(Site, OfAnotherNameIsRefused) {
  for (const std::string host :
       {"evil.example:8000", "127.0.0.1.evil.example", "node7.evil.example:8000", "localhost.:8000",
        "1.2.3.4.:80", "0x7f.1"}) {
    EXPECT_THAT(fault(host), HasSubstr("Host: found '")) << host;
  }
}

TEST(Site, OfAPageOfAnotherOriginIsRefused) {
  for (const std::string origin : {"http://evil.example", "null", "https://127.0.0.1:8000",
                                   "http://127.0.0.1:9000", "http://localhost:8000"}) {
    EXPECT_THAT(fault("127.0.0.1:8000", origin),
                HasSubstr("Origin: found '" + origin + "', expected 'http://127.0.0.1:8000'"));
  }
}

TEST(Site, HasTheNamesOfThisMachine) {
  EXPECT_THAT(own_names("Service.Example"), Contains("service.example"));
}

RawResponse ask(const RunningService& service, const std::string& method, const std::string& path,
                const std::string& headers) {
  RawClient client(service.port());
  client.send(method + " " + path + " HTTP/1.1\r\n" + headers +
              "\r\nContent-Length: 15\r\n\r\n{\"text\": [\"a\"]}");
  return client.receive();
}

TEST(Site, IsCheckedWhereNoTokenIs) {
  KnownPredictor predictor(0, 0);
  const RunningService service(predictor, {});
  for (const std::string headers :
       {"Host: evil.example", "Host: a\r\nOrigin: http://evil.example"}) {
    EXPECT_EQ(ask(service, "POST", "/predict", headers).status, 403);
    const auto page = ask(service, "GET", "/metrics", headers);
    EXPECT_EQ(page.status, 403);
    EXPECT_THAT(page.body, HasSubstr("since this service has no token (--token-file)"));
    EXPECT_EQ(ask(service, "GET", "/health", headers).status, 200) << "says nothing to anyone";
  }
  EXPECT_EQ(ask(service, "POST", "/predict", "Host: a").status, 200);
  EXPECT_EQ(ask(service, "POST", "/predict", "Host: a\r\nOrigin: http://a").status, 200);
  EXPECT_EQ(ask(service, "GET", "/metrics", "Host: localhost:1").status, 200);
}

TEST(Site, IsNotCheckedWhereATokenIs) {
  KnownPredictor predictor(0, 0);
  const TemporaryFolder folder;
  set_bytes(folder / "token", "secret\n");
  std::filesystem::permissions(folder / "token", std::filesystem::perms::owner_read);
  const RunningService service(predictor, {.listen = {.token_file = folder / "token"}});
  const std::string proxy =
      "Host: ml.example\r\nOrigin: https://ml.example\r\nAuthorization: Bearer ";
  EXPECT_EQ(ask(service, "POST", "/predict", proxy + "secret").status, 200);
  EXPECT_EQ(ask(service, "POST", "/predict", proxy + "guess").status, 401);
}

}  // namespace
}  // namespace epochcast::serve
