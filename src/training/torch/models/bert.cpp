// BERT in its published sizes.
#include "src/training/torch/families/bert.hpp"

namespace epochcast::libtorch::models {

/// BERT base, uncased (Devlin et al., 2019): 109,483,778 parameters.
ModelSpec bert() {
  return bert_model("BERT base, uncased: 12 layers of 768, a text classifier", {});
}

/// MiniLM-L12-H384-uncased (Wang et al., 2020), the study's "MicrosoftBERT": 33,360,770 parameters.
ModelSpec minilm() {
  return bert_model("MiniLM L12-H384: 12 layers of 384, a text classifier",
                    {.layers = 12, .hidden = 384, .heads = 12, .intermediate = 1536});
}

/// TinyBERT_General_4L_312D (Jiao et al., 2020), the study's "HuaweiBERT": 14,350,874 parameters.
ModelSpec tinybert() {
  return bert_model("TinyBERT 4L-312D: 4 layers of 312, a text classifier",
                    {.layers = 4, .hidden = 312, .heads = 12, .intermediate = 1200});
}

}  // namespace epochcast::libtorch::models
