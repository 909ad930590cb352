#include "src/measure/progress/lines/json_message.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

using Json = nlohmann::json;

constexpr auto message_names = std::to_array<const char*>({"message", "msg", "event"});
constexpr auto time_names =
    std::to_array<const char*>({"asctime", "timestamp", "@timestamp", "ts", "time", "date", "t"});

/// The value of the first of the names, as a JSON file writes it but for the quotes.
std::string value_of(const Json& object, std::span<const char* const> names, std::string& name) {
  for (const auto* candidate : names) {
    const auto found = object.find(candidate);
    if (found != object.end() && (found->is_string() || found->is_number())) {
      name = candidate;
      return found->is_string() ? found->get<std::string>() : found->dump();
    }
  }
  return "";
}

/// "train" of "train_epoch", "start" of "epoch_start": the number of the epoch has a name itself.
std::string name_of_event(const std::string& event) {
  std::vector<std::string> words;
  for (auto& word : split(event, '_')) {
    if (word != "epoch") {
      words.push_back(std::move(word));
    }
  }
  return join(words, " ");
}

/// Numbers: {"valid": {"acc": 0.5}} is "valid acc: 0.5".
void add_values(const Json& object, std::string& text, const std::string& of = "", int depth = 0) {
  constexpr int deepest = 8;  // a line may be nested as deep as it is long
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) {
      text += " | " + of + name + ": " + value.dump();
    } else if (value.is_object() && text.size() < 2000 && depth < deepest) {
      const bool of_phase = of_evaluation(name) || name.starts_with("train");
      add_values(value, text, of_phase ? name + " " : of, depth + 1);
    }
  }
}

}  // namespace

std::optional<std::string> json_message(std::string_view line) {
  line = trim(line);
  const bool may = line.starts_with('{') && line.ends_with('}') &&
                   (line.find("\"message\"") != std::string_view::npos ||
                    line.find("\"msg\"") != std::string_view::npos ||
                    line.find("\"event\"") != std::string_view::npos);
  auto object = may ? Json::parse(line, nullptr, false) : Json();
  if (!object.is_object()) {
    return std::nullopt;
  }
  std::string message_name, time_name;
  const auto message = value_of(object, message_names, message_name);
  const auto time = value_of(object, time_names, time_name);
  if (message_name.empty()) {
    return std::nullopt;
  }
  object.erase(message_name);
  object.erase(time_name);
  for (const auto* of_logger : {"lineno", "line", "pid", "process", "thread", "levelno", "msecs"}) {
    object.erase(of_logger);
  }
  auto text = (time.empty() ? "" : time + " ") +
              (message_name == "event" || message == "epoch" ? name_of_event(message) : message);
  add_values(object, text);
  return printable(text);
}

}  // namespace epochcast::progress
