// DeiT base (Touvron et al., 2021): ViT base, trained otherwise. 86,567,656 parameters.
#include "src/training/torch/families/vision_transformer.hpp"

namespace epochcast::libtorch::models {

ModelSpec deit_base() {
  return vision_model("DeiT base: 12 layers of 768, an image classifier", {}, VisionKind::deit);
}

}  // namespace epochcast::libtorch::models
