#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "src/serving/service/site.hpp"
#include "tests/files.hpp"

namespace epochcast::serve {
namespace {

using testing::HasSubstr;

class TokenFile : public testing::Test {
 protected:
  TokenFile() { unsetenv(token_variable); }
  ~TokenFile() override { unsetenv(token_variable); }

  std::string write(const std::string& text, mode_t mode = 0600) {
    const auto path = folder_ / "token";
    set_bytes(path, text);
    chmod(path.c_str(), mode);
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(TokenFile, HoldsTheTokenWithoutItsLineEnd) {
  EXPECT_EQ(read_token(write("s3cret+/=\n")), "s3cret+/=");
  EXPECT_EQ(read_token(""), "");
}

TEST_F(TokenFile, MayBeAVariableInsteadButNotBoth) {
  setenv(token_variable, "from the environment", 1);
  EXPECT_THAT(error_of([] { read_token(""); }), HasSubstr("other than visible ASCII"));
  setenv(token_variable, "from-the-environment", 1);
  EXPECT_EQ(read_token(""), "from-the-environment");
  EXPECT_THAT(error_of([&] { read_token(write("a")); }), HasSubstr("give one"));
}

TEST_F(TokenFile, IsRefusedIfItIsEmptyMissingOrOthersCanReadIt) {
  EXPECT_THAT(error_of([&] { read_token(write("\n")); }), HasSubstr("the token is empty"));
  EXPECT_THAT(error_of([&] { read_token(write("secret", 0640)); }), HasSubstr("chmod 600"));
  EXPECT_THAT(error_of([&] { read_token(folder_ / "none"); }), HasSubstr("none"));
}

TEST(Token, AdmitsOnlyItself) {
  EXPECT_TRUE(admits("secret", "Bearer secret"));
  EXPECT_TRUE(admits("secret", "bearer  secret"));
  for (const char* given : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets",
                            "Bearer secretsecret", "Bearer Secret", "Basic secret", "secret"}) {
    EXPECT_FALSE(admits("secret", given)) << given;
  }
}

TEST(Token, ThatIsEmptyAdmitsAll) {
  EXPECT_TRUE(admits("", ""));
  EXPECT_TRUE(admits("", "Bearer any"));
}

}  // namespace
}  // namespace epochcast::serve
