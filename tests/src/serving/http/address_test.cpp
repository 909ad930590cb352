#include "src/serving/http/address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files.hpp"

namespace epochcast::http {
namespace {

using ::testing::HasSubstr;

TEST(Address, ComesFromAUrl) {
  const std::vector<std::pair<std::string, Address>> cases{
      {"http://127.0.0.1:8000", {"127.0.0.1", "8000", ""}},
      {"http://127.0.0.1:8000/", {"127.0.0.1", "8000", ""}},
      {"node7:8000", {"node7", "8000", ""}},
      {"http://host", {"host", "80", ""}},
      {" http://host:1/v1/\n", {"host", "1", "/v1"}},
      {"http://[::1]:8000", {"::1", "8000", ""}},
      {"http://[::1]", {"::1", "80", ""}},
  };
  for (const auto& [url, address] : cases) {
    EXPECT_EQ(parse_url(url), address) << url;
  }
}

TEST(Address, WritesTheUrlThatItWasReadFrom) {
  for (const std::string url : {"http://127.0.0.1:8000", "http://[::1]:80/v1", "http://a:1/b/c"}) {
    EXPECT_EQ(parse_url(url).url(), url);
  }
}

TEST(Address, RefusesOtherTexts) {
  for (const std::string url :
       {"", "http://", "http://:80", "http://host:", "http://host:0", "http://host:65536",
        "http://host:8x", "ftp://host", "https://host", "http://ho st", "http://host/\x01"}) {
    EXPECT_THAT(error_of([&] { (void)parse_url(url); }),
                HasSubstr("expected an address such as http://127.0.0.1:8000"))
        << url;
  }
}

TEST(RequestBytes, HaveHeadersAndBody) {
  const auto address = parse_url("http://host:1/v1");
  EXPECT_EQ(request_bytes(address, {.path = "/health"}),
            "GET /v1/health HTTP/1.1\r\nHost: host:1\r\nUser-Agent: epochcast\r\n\r\n");
  EXPECT_EQ(request_bytes(address, {.method = "POST",
                                    .path = "/predict",
                                    .body = "{}",
                                    .content_type = "application/json",
                                    .token = "t0"}),
            "POST /v1/predict HTTP/1.1\r\nHost: host:1\r\nUser-Agent: epochcast\r\n"
            "Authorization: Bearer t0\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\n\r\n{}");
}

TEST(RequestBytes, RefuseATokenThatWouldBreakTheHeader) {
  EXPECT_THAT(error_of([] { (void)request_bytes({}, {.token = "a\r\nB: c"}); }),
              HasSubstr("the token has a character"));
}

}  // namespace
}  // namespace epochcast::http
