#include "src/serving/service/request.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/base/core/digest.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/utf8.hpp"

namespace epochcast::serve {
namespace {

using nlohmann::json;

constexpr int deepest = 2;  // an object with a list

/// The place of the first byte that is not UTF-8.
std::optional<std::size_t> first_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const auto point = first_code_point(text.substr(at));
    if (!point) {
      return at;
    }
    at += point->bytes;
  }
  return std::nullopt;
}

json parse_body(std::string_view body) {
  if (const auto at = first_bad_byte(body)) {
    throw BadRequest(400, fmt::format("body: found bytes that are not UTF-8 at byte {}", *at));
  }
  try {
    return parse_strict_json(body, "body", deepest);
  } catch (const Error& error) {
    throw BadRequest(400, error.what());
  }
}

std::string_view kind_key(Kind kind) {
  return kind == Kind::text ? "text" : "picture";
}

std::string form_of(Kind kind) {
  return kind == Kind::text ? R"({"text": ["...", ...]})" : R"({"picture": ["BASE64", ...]})";
}

/// The list under the only key that there may be.
const json& item_list(const json& body, Kind kind) {
  const std::string key{kind_key(kind)};
  if (!body.is_object()) {
    throw BadRequest(422, fmt::format("body: found JSON of type {}, expected {}", body.type_name(),
                                      form_of(kind)));
  }
  for (const auto& entry : body.items()) {
    if (entry.key() != key) {
      throw BadRequest(422,
                       fmt::format("body: unknown key {}, expected {}{}", shown_name(entry.key()),
                                   form_of(kind), suggestion(entry.key(), {key})));
    }
  }
  if (!body.contains(key) || !body.at(key).is_array() || body.at(key).empty()) {
    throw BadRequest(422, fmt::format("{}: expected a list of at least one string", key));
  }
  return body.at(key);
}

std::string decoded_item(const json& value, Kind kind, std::size_t index,
                         const RequestLimits& limits) {
  const auto name = fmt::format("{}[{}]", kind_key(kind), index);
  if (!value.is_string()) {
    throw BadRequest(
        422, fmt::format("{}: found JSON of type {}, expected a string", name, value.type_name()));
  }
  auto text = value.get<std::string>();
  if (kind == Kind::text) {
    if (text.size() > limits.text_bytes) {
      throw BadRequest(413, fmt::format("{}: found {} bytes, expected at most {}", name,
                                        text.size(), limits.text_bytes));
    }
    return text;
  }
  auto bytes = decode_base64(text);
  if (!bytes) {
    throw BadRequest(422, fmt::format("{}: is no base64", name));
  }
  return std::move(*bytes);
}

}  // namespace

std::vector<std::string> read_items(Kind kind, std::string_view body, std::string_view content_type,
                                    const RequestLimits& limits) {
  if (kind == Kind::picture && content_type.starts_with("image/")) {
    return {std::string(body)};
  }
  const json parsed = parse_body(body);
  const json& list = item_list(parsed, kind);
  if (list.size() > limits.items) {
    throw BadRequest(413, fmt::format("{}: found {} items, expected at most {}", kind_key(kind),
                                      list.size(), limits.items));
  }
  std::vector<std::string> items;
  items.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    items.push_back(decoded_item(list[i], kind, i, limits));
  }
  return items;
}

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
