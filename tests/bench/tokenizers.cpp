// Our side of tests/bench/tokenizers: tokenizes all texts of a table and says how long it took.
//
// usage: bench_tokenizers NAME FILES TABLE TEXT LABEL     (columns of the table)
// Says how many tokens a pass has, then for every line N on stdin does N passes and prints their
// seconds.
#include <cstddef>
#include <iostream>
#include <memory>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/training/text/text_file.hpp"
#include "src/training/text/tokenizer.hpp"

namespace {

using namespace epochcast;

constexpr std::size_t max_length = 512;

std::size_t tokens_of_pass(const epochcast::text::Tokenizer& tokenizer,
                           const std::vector<std::string>& texts) {
  std::vector<epochcast::text::TokenIds> all;
  std::size_t tokens = 0;
  for (const std::string& text : texts) {
    tokens += all.emplace_back(tokenizer.encode(text, max_length)).size();
  }
  return tokens;
}

int serve(const std::string& name, const std::string& files, const std::string& table,
          const epochcast::text::TextColumns& columns) {
  const auto texts = epochcast::text::read_texts(table, columns).texts;
  const auto tokenizer = epochcast::text::open_tokenizer(name, files);
  std::cout << tokens_of_pass(*tokenizer, texts) << std::endl;
  const epochcast::SteadyClock clock;
  for (int passes = 0; std::cin >> passes;) {
    const double start_s = clock.now_s();
    for (int i = 0; i < passes; ++i) {
      tokens_of_pass(*tokenizer, texts);
    }
    std::cout << clock.now_s() - start_s << std::endl;
  }
  return epochcast::exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  return epochcast::run_program("bench_tokenizers", [&] {
    if (argc != 6) {
      throw epochcast::Error("usage: bench_tokenizers NAME FILES TABLE TEXT LABEL");
    }
    return serve(argv[1], argv[2], argv[3], {.text = argv[4], .label = argv[5]});
  });
}
