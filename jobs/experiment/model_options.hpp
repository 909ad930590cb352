// The options of models, data sets and optimizers, from a file that the build of the trainer
// writes: they are checked here without LibTorch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/experiment/matrix.hpp"
#include "src/run/option_spec.hpp"

namespace epochcast::jobs {

using OptionsByName = std::map<std::string, std::vector<run::OptionSpec>>;

struct Catalogue {
  OptionsByName models;
  OptionsByName datasets;
  OptionsByName optimizers;
  std::map<std::string, std::string> published_optimizers;  ///< Model -> its default optimizer.
};

/// Reads models.json. Throws Error if it is not valid.
Catalogue read_catalogue(const std::string& path);

/// The catalogue beside this program, if a trainer was built or installed with it.
std::optional<Catalogue> find_catalogue();

/// Throws Error "model.dpeth: unknown option of model 'mlp'; did you mean 'depth'?" for the first
/// point with an unknown model, data set, optimizer or option.
void check_options(const std::vector<Point>& points, const Catalogue& catalogue);

}  // namespace epochcast::jobs
