// Real outputs of training programs: those kept in tests/progress_programs/captures, or made there.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "src/progress/recognizer.hpp"
#include "tests/files.hpp"

namespace epochcast::progress::tests {

struct Piece {
  double at_s = 0;
  Stream stream = Stream::terminal;
  std::string bytes;
};

/// Of lines "SECONDS STREAM HEX".
inline std::vector<Piece> read_capture(const std::string& path) {
  std::vector<Piece> pieces;
  std::istringstream in(bytes_of(path));
  std::string stream;
  std::string hex;
  for (Piece piece; in >> piece.at_s >> stream >> hex;) {
    piece.stream = stream == "out" ? Stream::out : stream == "err" ? Stream::err : Stream::terminal;
    piece.bytes.clear();
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      piece.bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    pieces.push_back(piece);
  }
  return pieces;
}

inline std::string captures_folder() {
  return EPOCHCAST_SOURCE_DIR "/tests/progress_programs/captures/";
}

/// A kept capture, and the format that it is of.
struct Kept {
  const char* name;
  const char* format;
};
inline const std::vector<Kept>& kept_captures() {
  static const std::vector<Kept> kept{{"plain", "plain"},
                                      {"tqdm", "tqdm"},
                                      {"tqdm_pipe", "tqdm"},
                                      {"tqdm_nested", "tqdm"},
                                      {"huggingface", "huggingface"},
                                      {"huggingface_pipe", "huggingface"},
                                      {"lightning", "lightning"},
                                      {"lightning_rich", "lightning"},
                                      {"keras", "keras"},
                                      {"keras_lines", "keras"},
                                      {"fastai", "fastai"},
                                      {"timm", "timm"},
                                      {"torchvision", "torchvision"},
                                      {"megatron", "megatron"},
                                      {"megatron_nemo", "megatron"},
                                      {"mllog", "mllog"},
                                      {"lab_log", "lab_log"}};
  return kept;
}

}  // namespace epochcast::progress::tests
