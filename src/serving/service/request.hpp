// From the body of POST /predict to the texts or pictures in it, and from scores to the answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::serve {

/// A request that cannot be answered because of what is in it.
class BadRequest : public Error {
 public:
  BadRequest(int http_status, const std::string& line) : Error(line), http_status_(http_status) {}
  /// 400: not JSON or not UTF-8; 422: JSON of another form; 413: more than a limit allows.
  int http_status() const { return http_status_; }

 private:
  int http_status_;
};

struct RequestLimits {
  std::size_t items = 128;
  std::size_t text_bytes = 65536;
};

/// The texts of {"text": ["...", ...]}. The pictures (the bytes of PNG or JPEG files) of
/// {"picture": ["BASE64", ...]}, or the one picture that the body is if `content_type` begins with
/// "image/". Throws BadRequest: what was found, what was expected.
std::vector<std::string> read_items(Kind kind, std::string_view body, std::string_view content_type,
                                    const RequestLimits& limits);

/// Writes {"predictions": [[{"label": "NEGATIVE", "score": 0.25}, ...], ...]}: a list for each
/// input, with all classes in the order of `labels`.
class AnswerWriter {
 public:
  explicit AnswerWriter(const std::vector<std::string>& labels);

  /// Throws RunError if the scores are not as many as the labels, or not all finite.
  std::string write(const std::vector<Scores>& scores) const;

 private:
  std::vector<std::string> before_scores_;  ///< {"label": "NAME", "score":
};

}  // namespace epochcast::serve
