// BERT base, uncased (Devlin et al., 2019): 109,483,778 parameters.
#include "src/training/torch/families/bert.hpp"

namespace epochcast::libtorch::models {

ModelSpec bert() {
  return bert_model("BERT base, uncased: 12 layers of 768, a text classifier", {});
}

}  // namespace epochcast::libtorch::models
