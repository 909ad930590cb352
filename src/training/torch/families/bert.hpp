// BERT (Devlin et al., 2019) with a classifier on its pooler; TinyBERT and MiniLM are the same in
// other sizes.
#pragma once

#include "src/training/torch/families/text_encoder.hpp"

namespace epochcast::libtorch {

/// The parts of a layer as BERT and RoBERTa name them.
inline constexpr LayerNames bert_layer_names{.query = "attention.self.query",
                                             .key = "attention.self.key",
                                             .value = "attention.self.value",
                                             .attention_output = "attention.output.dense",
                                             .attention_norm = "attention.output.LayerNorm",
                                             .widen = "intermediate.dense",
                                             .narrow = "output.dense",
                                             .output_norm = "output.LayerNorm"};

/// A model of these sizes.
ModelSpec bert_model(const std::string& summary, const TextSizes& sizes);

}  // namespace epochcast::libtorch
