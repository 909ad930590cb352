// DeiT base, distilled (Touvron et al., 2021): 87,338,192 parameters.
#include "src/training/torch/families/vision_transformer.hpp"

namespace epochcast::libtorch::models {

ModelSpec deit_base_distilled() {
  return vision_model("DeiT base, distilled: 12 layers of 768 and two heads", {},
                      VisionKind::distilled);
}

}  // namespace epochcast::libtorch::models
