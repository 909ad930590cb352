// Experiment and cluster → an output folder with one script a point; submits nothing.
#pragma once

#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/experiment.hpp"
#include "jobs/experiment/matrix.hpp"

namespace epochcast::jobs {

struct GenerateRequest {
  std::string experiment;  ///< A file.
  std::string cluster;     ///< A name or a file.
  std::string out;
  std::vector<std::string> sets;     ///< key=value
  std::vector<std::string> filters;  ///< column=value
};

struct GenerateReport {
  std::string experiment;
  std::string cluster;
  std::size_t points = 0;
  std::vector<std::string> changed;  ///< Points whose script was there and is another now.
  std::size_t same = 0;              ///< Scripts that were there already.
  std::size_t kept = 0;          ///< Points of an earlier `generate` that this one does not make.
  bool options_checked = false;  ///< Whether there was a catalogue of models.
};

/// An experiment on a cluster, multiplied out; nothing is written yet.
struct Matrix {
  Experiment experiment;
  Cluster cluster;
  std::vector<Point> points;
  bool options_checked = false;
};

/// Reads, multiplies out, filters and checks. Throws Error.
Matrix read_matrix(const GenerateRequest& request);

/// Writes the scripts of `matrix` and all that belongs to them into `request.out`. `then`: a shell
/// command that each script runs behind its program, where that ended well or stopped early.
GenerateReport write_matrix(const GenerateRequest& request, const Matrix& matrix,
                            const std::string& then = "");

/// Both. Never takes anything away from an output folder that is there already. Throws Error,
/// RunError.
GenerateReport generate(const GenerateRequest& request);

}  // namespace epochcast::jobs
