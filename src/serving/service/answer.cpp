#include "src/serving/service/answer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/core/error.hpp"

namespace epochcast::serve {

AnswerWriter::AnswerWriter(const std::vector<std::string>& labels) {
  for (const auto& label : labels) {
    const nlohmann::json text = label;
    before_scores_.push_back(fmt::format(
        R"({{"label":{},"score":)",
        text.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace)));
  }
}

std::string AnswerWriter::write(const std::vector<Scores>& scores) const {
  std::string body = R"({"predictions":[)";
  for (const auto& each : scores) {
    if (each.size() != before_scores_.size()) {
      throw RunError(fmt::format("the model gave {} scores for {} classes", each.size(),
                                 before_scores_.size()));
    }
    body += body.back() == '[' ? "[" : ",[";
    for (std::size_t i = 0; i < each.size(); ++i) {
      if (!std::isfinite(each[i])) {
        throw RunError(fmt::format("the model gave a score that is not finite: {}", each[i]));
      }
      fmt::format_to(std::back_inserter(body), "{}{}{}}}", i == 0 ? "" : ",", before_scores_[i],
                     each[i]);
    }
    body += ']';
  }
  body += "]}";
  return body;
}

}  // namespace epochcast::serve
