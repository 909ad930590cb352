// Real outputs of training programs: those kept in tests/progress_programs/captures, or made there.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "src/measure/progress/recognizer/recognizer.hpp"
#include "tests/files.hpp"

namespace epochcast::tests {

using progress::Recognizer;
using progress::Stream;

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
                                      {"lab_log", "lab_log"},
                                      {"keras_alone", "keras"},
                                      {"keras_lines_alone", "keras"},
                                      {"xgboost", "xgboost"},
                                      {"xgboost_each_5th", "xgboost"},
                                      {"lightgbm", "lightgbm"},
                                      {"lightgbm_each_5th", "lightgbm"},
                                      {"ignite", "ignite"},
                                      {"stable_baselines", "stable_baselines"},
                                      {"one_bar", "tqdm"},
                                      {"one_bar_pipe", "tqdm"},
                                      {"mmengine", "mmengine"},
                                      {"mmengine_resumed", "mmengine"},
                                      {"ultralytics", "yolo"},
                                      {"ultralytics_pipe", "yolo"},
                                      {"nnunet", "nnunet"}};
  return kept;
}

/// Of a program that prints steps of the run and no epochs.
inline void expect_steps_of_run(Recognizer& recognizer, std::int64_t steps) {
  EXPECT_EQ(recognizer.position().steps, steps);
  const auto rows = recognizer.take();
  EXPECT_THAT(rows.epochs, testing::IsEmpty());
  ASSERT_THAT(rows.iterations, testing::Not(testing::IsEmpty()));
  EXPECT_EQ(rows.iterations.back().index + 1, steps);
}

/// How long epoch `i` took by the program's own clock; nothing where its begin is not in the truth.
inline std::optional<double> reported_s(const nlohmann::json& truth, std::size_t i) {
  const auto end_s = truth[i].at("end_s").get<double>();
  if (truth[i].contains("begin_s")) {
    return end_s - truth[i]["begin_s"].get<double>();
  }
  return i > 0 ? std::optional(end_s - truth[i - 1].at("end_s").get<double>()) : std::nullopt;
}

/// Its own count of epochs, and the metrics that it reports: each is in the record; and with
/// `slack_s`, its own times.
inline void expect_as_reported(const std::vector<Piece>& pieces, const std::string& truth_path,
                               const std::string& format, std::optional<double> slack_s = {}) {
  const auto account = nlohmann::json::parse(bytes_of(truth_path));
  const auto& truth = account.at("epochs");
  Recognizer recognizer({});
  for (const auto& piece : pieces) {
    recognizer.read(piece.stream, piece.bytes, piece.at_s);
  }
  const double end_s = pieces.back().at_s;
  recognizer.finish(end_s);
  EXPECT_EQ(recognizer.source(), format);
  EXPECT_EQ(recognizer.note(), "");
  EXPECT_EQ(recognizer.position().epochs_done, std::ssize(truth));
  if (account.contains("run_steps")) {
    expect_steps_of_run(recognizer, account["run_steps"]);
    return;
  }
  const auto rows = recognizer.take();
  ASSERT_EQ(rows.epochs.size(), truth.size());
  double before_s = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto& epoch = rows.epochs[i];
    EXPECT_EQ(epoch.epoch, std::ssize(rows.epochs) - std::ssize(truth) + std::int64_t(i));
    EXPECT_GE(epoch.start_s, before_s - 1e-9);
    EXPECT_GE(epoch.wall_s, 0);
    if (slack_s) {  // a capture that was kept; on a busy machine, epochs may come in one piece
      EXPECT_GT(epoch.wall_s, 0);
    }
    before_s = epoch.start_s + epoch.wall_s + epoch.evaluate_s;
    EXPECT_LE(before_s, end_s + 1e-9);
    if (const auto took_s = reported_s(truth, i); took_s && slack_s) {
      EXPECT_NEAR(epoch.wall_s + epoch.evaluate_s, *took_s, *slack_s) << "epoch " << i;
    }
    for (const auto& [name, value] : truth[i].at("metrics").items()) {
      std::vector<double> found;
      for (const auto& metric : rows.metrics) {
        if (metric.epoch == epoch.epoch && metric.name.view() == name && metric.iteration == 0) {
          found.push_back(metric.value);
        }
      }
      EXPECT_THAT(found, testing::ElementsAre(testing::DoubleNear(value.get<double>(), 1e-12)))
          << "epoch " << i << ", " << name;
    }
  }
}

}  // namespace epochcast::tests
