// Answers the items of a batch with a network.
#pragma once

#include <cstdint>
#include <vector>

#include "src/serving/stream/batch.hpp"
#include "src/serving/stream/sink.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::stream {

/// One answer for each item, in order. Items of similar length share a forward pass, which has at
/// most `most_inputs`. An item that the network cannot take is refused; its answer is the reason.
/// Throws RunError if the device fails.
std::vector<Answer> answer_items(serve::Predictor& predictor, const std::vector<Item>& items,
                                 std::int64_t most_inputs);

}  // namespace epochcast::stream
