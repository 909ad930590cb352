// The options of models, data sets and optimizers, from models.json, which the trainer writes: they
// are checked here without LibTorch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobs/experiment/matrix.hpp"
#include "src/base/config/option_spec.hpp"

namespace epochcast::jobs {

using OptionsByName = std::map<std::string, std::vector<run::OptionSpec>>;

struct Catalogue {
  OptionsByName models;
  OptionsByName datasets;
  OptionsByName optimizers;
  std::map<std::string, std::string> published_optimizers;  ///< Model -> its default optimizer.

  /// The options of the models, data sets and optimizers, with the prefix of their parameters.
  std::vector<std::pair<std::string_view, const OptionsByName*>> by_prefix() const {
    return {{"model.", &models}, {"dataset.", &datasets}, {"optimizer.", &optimizers}};
  }
};

/// Reads models.json. Throws Error if it is not valid.
Catalogue read_catalogue(const std::string& path);

/// The catalogue of the trainer that was built or installed with this program; without a trainer,
/// that of docs/reference.
Catalogue installed_catalogue();

/// Parameters that are paths, or several separated by ':', such as "weights" and "dataset.path":
/// those whose tables allow "path", those of RunConfig first.
std::vector<std::string> path_parameters(const Catalogue& catalogue);

/// Throws Error "model.dpeth: unknown option of model 'mlp'; did you mean 'depth'?" for the first
/// point with an unknown model, data set, optimizer or option.
void check_options(const std::vector<Point>& points, const Catalogue& catalogue);

}  // namespace epochcast::jobs
