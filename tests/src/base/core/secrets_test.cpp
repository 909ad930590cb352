#include "src/base/core/secrets.hpp"

#include <gtest/gtest.h>

#include <array>

namespace epochcast {
namespace {

TEST(Secrets, AreHiddenByTheirNames) {
  const struct {
    const char* text;
    const char* shown;
  } cases[] = {
      {"python3 train.py --password hunter2 --lr 0.1", "python3 train.py --password *** --lr 0.1"},
      {"train --db-password='a b' x", "train --db-password=*** x"},
      {"train '--password=a b' x", "train '--password=***' x"},
      {"train --apiKey=abc", "train --apiKey=***"},
      {"train token=abc model.hub_token=def", "train token=*** model.hub_token=***"},
      {"env WANDB_API_KEY=0123abcd python3 x.py", "env WANDB_API_KEY=*** python3 x.py"},
      {"docker run -e 'DB_PASS=a b' image", "docker run -e 'DB_PASS=***' image"},
      {"sh -c 'export MY_TOKEN=abc; python3 x.py --epochs 5'",
       "sh -c 'export MY_TOKEN=*** python3 x.py --epochs 5'"},
      {"curl -H 'Authorization: Bearer abcdefgh1' http://x",
       "curl -H 'Authorization: Bearer ***' http://x"},
      {R"(x '{"password": "a b", "lr": 1}')", R"(x '{"password": ***, "lr": 1}')"},
      {"SECRET_KEY_2=abc", "SECRET_KEY_2=***"},
      {"--password=it'\\''s", "--password=***'\\''s"},
      {"--aws-secret-access-key abc --credentials=def",
       "--aws-secret-access-key *** --credentials=***"},
  };
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(without_secrets(text), shown);
    EXPECT_EQ(without_secrets(without_secrets(text)), without_secrets(text)) << text;
  }
}

TEST(Secrets, AreHiddenByTheirForms) {
  const struct {
    const char* text;
    const char* shown;
  } cases[] = {
      {"x hf_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789 y", "x *** y"},
      {"wandb login 0123456789abcdef0123456789abcdef01234567", "wandb login ***"},
      {"--key ghp_0123456789abcdefghij0123456789abcdef", "--key ***"},
      {"x sk-proj-abcdefghijklmnop1234 y", "x *** y"},
      {"AKIAIOSFODNN7EXAMPLE", "***"},
      {"redis://user:pa:ss@host:6379/0", "redis://user:***@host:6379/0"},
      {"https://:x@host/p", "https://:***@host/p"},
      {"git+https://ghu_0123456789abcdef01:x@github.com/a", "git+https://***:***@github.com/a"},
      {"-H eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJ", "-H ***"},
      {"https://x.blob/y?sv=1&sig=ab%2Bc&z=1", "https://x.blob/y?sv=1&sig=***&z=1"},
      {"sshpass -p hunter2 rsync a b:", "sshpass -p *** rsync a b:"},
      {"mysqldump -h db -u me -phunter2 t", "mysqldump -h db -u me -p*** t"},
      {"docker login -u me -p hunter2 reg.io", "docker login -u me -p *** reg.io"},
      {"python3 fetch.py --user me -p hunter2 -n 3", "python3 fetch.py --user me -p *** -n 3"},
      {"redis-cli -h cache -a hunter2 ping", "redis-cli -h cache -a *** ping"},
      {"ldapsearch -x -w hunter2 -b dc=x", "ldapsearch -x -w *** -b dc=x"},
      {"curl -s -u me:hunter2 http://x", "curl -s -u me:*** http://x"},
  };
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(without_secrets(text), shown);
  }
}

TEST(Secrets, ArePartsOfLongTextsToo) {
  const std::string filler(100'000, 'x');
  EXPECT_EQ(without_secrets(filler + " --token abc " + filler), filler + " --token *** " + filler);
}

/// What a training is told must stay in its record.
TEST(Secrets, AreNotWhatOnlyLooksLikeThem) {
  for (const auto* text :
       {"python3 train.py --max_tokens=512 --num-tokens 100 --tokenizer=bert --token_dropout 0.1",
        "--eos_token '</s>' --pad_token=0 --token 5 --mask-token=x --tokens_per_batch=4096",
        "--password_file /run/secrets/x --token-type bearer --secret-name=y",
        "--use_auth_token True --token $HF_TOKEN --password --lr 1",
        "srun -p gpu -n 2 python3 x.py -p 0.5 -a 3 -w 7 -u 5",
        "docker run -p 8080:80 image; mkdir -p out/logs; ssh -p 22 host",
        "python3 -u x.py -p data/train",
        "python3 hf_training.py --author me --keyboard de --passes 3 --secretary=0",
        "http://host:8080/a:b@c --key=name --monkey 3 PWD=/home/x",
        "bearer of news; risk-adjusted-returns-2024 task-0123456789abcdef"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

TEST(Secrets, AreValuesOfNamedParameters) {
  EXPECT_EQ(without_secrets("model.api_key", "a b c"), "***");
  EXPECT_EQ(without_secrets("password", "1234"), "***");
  EXPECT_EQ(without_secrets("lr", "0.1"), "0.1");
  EXPECT_EQ(without_secrets("from", "redis://u:p@h/x"), "redis://u:***@h/x");
  EXPECT_EQ(without_secrets("command", "x --token abc"), "x --token ***");
}

}  // namespace
}  // namespace epochcast
