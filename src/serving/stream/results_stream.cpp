#include "src/serving/stream/results_stream.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/base/core/text.hpp"
#include "src/serving/stream/journal.hpp"

namespace epochcast::stream {
namespace {

using nlohmann::json;

RedisPlace place_of_results(const std::string& url) {
  constexpr std::string_view scheme = "redis:";
  if (!url.starts_with(scheme)) {
    throw Error(fmt::format("found '{}', expected redis://HOST:PORT/KEY", url));
  }
  return parse_redis_place(url.substr(scheme.size()));
}

json result_json(const ResultRow& row) {
  json item{{"position", row.position}};
  if (row.refused.empty()) {
    item["class"] = row.chosen;
    item["score"] = row.score;
  } else {
    item["refused"] = row.refused;
  }
  if (row.label >= 0) {
    item["label"] = row.label;
  }
  return item;
}

}  // namespace

ResultsStream::ResultsStream(const std::string& url, std::string journal)
    : place_(place_of_results(url)), journal_(std::move(journal)), redis_(place_.endpoint) {}

bool ResultsStream::pass_on() {
  try {
    if (passed_ < 0) {
      const auto last = last_stream_id(redis_, place_.key);
      passed_ = parse_integer(last.substr(0, last.find('-'))).value_or(0);
    }
    const auto rows = read_results(journal_, passed_);
    for (std::size_t first = 0; first < rows.size();) {
      json batch{{"source", rows[first].source}, {"batch_id", rows[first].batch_id}};
      const auto sequence = rows[first].sequence;
      for (; first < rows.size() && rows[first].sequence == sequence; ++first) {
        batch["items"].push_back(result_json(rows[first]));
      }
      add_to_stream(redis_, place_.key, sequence, "results",
                    batch.dump(-1, ' ', false, json::error_handler_t::replace));
      passed_ = sequence;
    }
    return true;
  } catch (const RedisLost&) {
    passed_ = -1;
    return false;
  }
}

}  // namespace epochcast::stream
