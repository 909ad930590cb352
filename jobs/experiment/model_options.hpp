// The options that models, data sets and optimizers declare, as the build of the trainer wrote them
// down, so that they are checked here without LibTorch.
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
  std::map<std::string, std::string> published_optimizers;  ///< Model → the one it takes by itself.
};

/// Reads models.json. Throws Error where it cannot be understood.
Catalogue read_catalogue(const std::string& path);

/// The catalogue beside this program, if a trainer was built or installed with it.
std::optional<Catalogue> find_catalogue();

/// Throws Error "model.dpeth: unknown option of model 'mlp'; did you mean 'depth'?" for the first
/// point that asks for a model, a data set, an optimizer or an option that is not in the catalogue.
void check_options(const std::vector<Point>& points, const Catalogue& catalogue);

}  // namespace epochcast::jobs
