// DeiT tiny, distilled (Touvron et al., 2021): 5,910,800 parameters.
#include "src/training/torch/families/vision_transformer.hpp"

namespace epochcast::libtorch::models {

ModelSpec deit_tiny_distilled() {
  return vision_model("DeiT tiny, distilled: 12 layers of 192 and two heads",
                      {.hidden = 192, .heads = 3}, VisionKind::distilled);
}

}  // namespace epochcast::libtorch::models
