// MiniLM-L12-H384-uncased (Wang et al., 2020), the study's "MicrosoftBERT": 33,360,770 parameters.
#include "src/training/torch/families/bert.hpp"

namespace epochcast::libtorch::models {

ModelSpec minilm() {
  return bert_model("MiniLM L12-H384: 12 layers of 384, a text classifier",
                    {.layers = 12, .hidden = 384, .heads = 12, .intermediate = 1536});
}

}  // namespace epochcast::libtorch::models
