// TinyBERT_General_4L_312D (Jiao et al., 2020), the study's "HuaweiBERT": 14,350,874 parameters.
#include "src/training/torch/families/bert.hpp"

namespace epochcast::libtorch::models {

ModelSpec tinybert() {
  return bert_model("TinyBERT 4L-312D: 4 layers of 312, a text classifier",
                    {.layers = 4, .hidden = 312, .heads = 12, .intermediate = 1200});
}

}  // namespace epochcast::libtorch::models
