#include "src/base/core/digest.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "src/base/core/error.hpp"
#include "tests/files.hpp"

namespace epochcast {
namespace {

// FIPS 180-2, appendix B, and its third example: a million times "a".
TEST(Digest, OfAFileIsItsSha256) {
  const TemporaryFolder folder;
  const auto file = folder / "file";
  const auto digest_of = [&](const std::string& text) {
    set_bytes(file, text);
    return sha256_of_file(file);
  };
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_THROW(sha256_of_file(file + ".missing"), Error);
  EXPECT_THROW(sha256_of_file(folder.path()), Error);
}

// RFC 4231, test cases 2 and 6 (a key longer than a block).
TEST(Digest, ProofsAreHmacSha256) {
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'),
                        "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Digest, RandomDigitsAreNeverTheSame) {
  EXPECT_EQ(random_digits().size(), 64u);
  EXPECT_NE(random_digits(), random_digits());
}

TEST(Digest, ComparesSecrets) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_TRUE(same_secret("", ""));
}

TEST(Base64, HasTheVectorsOfItsStandard) {  // RFC 4648, section 10
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
}

TEST(Base64, GivesAllBytesBack) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    bytes += static_cast<char>(i * 7);
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "====", "Zm9v\n", "Zm 9", "Zm9-", "Z=9v", "Zh==", "Zm9="}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace epochcast
