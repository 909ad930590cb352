// Small vocabularies, made here: letters, some words, all bytes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/base/text/utf8.hpp"
#include "src/training/text/gpt2_pieces.hpp"
#include "tests/files.hpp"

namespace epochcast::text::test {

/// Tokens of a vocab.txt, in the order of their ids: the five special ones, words and their
/// endings, then every printable ASCII character, some accented and foreign ones, each alone and
/// going on.
inline std::vector<std::string> made_tokens() {
  std::vector<std::string> tokens{"[PAD]",  "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un",   "##aff",
                                  "##able", "runn",  "##ing", "cafe",  "hello",  "world"};
  std::vector<std::string> letters;
  for (char c = '!'; c <= '~'; ++c) {
    if (c < 'A' || c > 'Z') {
      letters.emplace_back(1, c);
    }
  }
  for (const char* letter :
       {"ß", "ı", "я", "ж", "ω", "σ", "ς", "中", "日", "ᄒ", "ᅡ", "ᆫ", "€", "ا", "😀"}) {
    letters.emplace_back(letter);
  }
  for (const std::string& letter : letters) {
    tokens.push_back(letter);
    tokens.push_back("##" + letter);
  }
  return tokens;
}

inline std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

/// A byte-level vocabulary whose merges lead to the words " the", " hello", "ing" and some others.
struct MadeMerges {
  std::vector<std::string> tokens{"<s>", "<pad>", "</s>", "<unk>"};
  std::vector<std::string> merges;

  MadeMerges() {
    for (int byte = 0; byte < 256; ++byte) {
      tokens.push_back(letters_of(std::string(1, char(byte))));
    }
    for (const char* word :
         {" the", "ing", " hello", "llo", "  ", "é", "aaaa", "'ll", " 2024", "😀"}) {
      add_word(word);
    }
    tokens.emplace_back("<mask>");
  }

  std::string json() const {
    std::string text;
    for (std::size_t id = 0; id < tokens.size(); ++id) {
      std::string escaped;
      for (const char c : tokens[id]) {
        escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
      }
      text += (text.empty() ? "{\"" : ", \"") + escaped + "\": " + std::to_string(id);
    }
    return text + "}\n";
  }

 private:
  /// Merges from the left, as far as they are not there yet.
  void add_word(std::string_view word) {
    std::string before = letters_of(word.substr(0, 1));
    for (const char byte : word.substr(1)) {
      const std::string next = letters_of({&byte, 1});
      if (std::find(tokens.begin(), tokens.end(), before + next) == tokens.end()) {
        merges.push_back(before + " " + next);
        tokens.push_back(before + next);
      }
      before += next;
    }
  }
};

/// A folder as hubs lay it out, with the files of both tokenizers in a folder each.
struct MadeVocabularies {
  TemporaryFolder folder;

  MadeVocabularies() {
    const MadeMerges made;
    std::filesystem::create_directory(folder / "bert");
    std::filesystem::create_directory(folder / "roberta");
    set_bytes(folder / "bert/vocab.txt", lines_of(made_tokens()));
    set_bytes(folder / "roberta/vocab.json", made.json());
    set_bytes(folder / "roberta/merges.txt", "#version: 0.2\n" + lines_of(made.merges));
  }

  std::string bert() const { return folder / "bert"; }
  std::string roberta() const { return folder / "roberta"; }
};

}  // namespace epochcast::text::test
