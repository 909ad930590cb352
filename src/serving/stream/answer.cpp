#include "src/serving/stream/answer.hpp"

#include <algorithm>
#include <memory>

namespace epochcast::stream {
namespace {

/// An input and the place of its item.
struct Prepared {
  std::size_t place = 0;
  std::unique_ptr<serve::Input> input;
};

std::unique_ptr<serve::Input> prepare(const serve::Predictor& predictor, const Item& item) {
  if (!item.refused.empty()) {
    throw Error(item.refused);
  }
  if ((predictor.kind() == serve::Kind::text) != item.planes.empty()) {
    throw Error(item.planes.empty() ? "found a text, expected a picture"
                                    : "found a picture, expected a text");
  }
  return predictor.prepare(input_bytes(item));
}

std::vector<Prepared> prepare_all(const serve::Predictor& predictor, const std::vector<Item>& items,
                                  std::vector<Answer>& answers) {
  std::vector<Prepared> prepared;
  for (std::size_t place = 0; place < items.size(); ++place) {
    answers[place].label = items[place].label;
    try {
      prepared.push_back({place, prepare(predictor, items[place])});
    } catch (const RunError&) {
      throw;
    } catch (const Error& error) {
      answers[place].refused = error.what();
    }
  }
  std::ranges::stable_sort(prepared, {}, [](const auto& one) { return one.input->length(); });
  return prepared;
}

void note(const serve::Scores& scores, Answer& answer) {
  const auto best = std::ranges::max_element(scores);
  if (best == scores.end()) {
    throw RunError("the network gave no scores");
  }
  answer.chosen = best - scores.begin();
  answer.score = *best;
}

}  // namespace

std::vector<Answer> answer_items(serve::Predictor& predictor, const std::vector<Item>& items,
                                 std::int64_t most_inputs) {
  std::vector<Answer> answers(items.size());
  const auto prepared = prepare_all(predictor, items, answers);
  const auto most = static_cast<std::size_t>(most_inputs);
  for (std::size_t first = 0; first < prepared.size(); first += most) {
    const auto last = std::min(prepared.size(), first + most);
    std::vector<const serve::Input*> inputs;
    for (auto i = first; i < last; ++i) {
      inputs.push_back(prepared[i].input.get());
    }
    const auto scores = predictor.predict(inputs);
    if (scores.size() != inputs.size()) {
      throw RunError("the network did not answer each input");
    }
    for (auto i = first; i < last; ++i) {
      note(scores[i - first], answers[prepared[i].place]);
    }
  }
  return answers;
}

}  // namespace epochcast::stream
