// Makes an output folder with one script per point from an experiment and a cluster.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
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
  SiteSettings site = {};            ///< Of --site.
  RelativesAsked relatives = {};     ///< Of `plan`.
};

struct GenerateReport {
  std::string experiment;
  std::string cluster;
  std::size_t points = 0;
  std::map<std::string, std::size_t> points_of;  ///< Per allocation.
  std::vector<std::string> changed;              ///< Points whose script has changed.
  std::size_t same = 0;                          ///< Scripts that are unchanged.
  std::size_t kept = 0;  ///< Points of an earlier `generate` that this one does not have.
};

/// All points of an experiment on a cluster.
struct Matrix {
  Experiment experiment;
  Cluster cluster;
  std::vector<Point> points;
};

/// Whether a point that is started again goes on from where it was.
bool can_resume(const Matrix& matrix);

/// Reads the files, makes the points, filters and checks them. Throws Error.
Matrix read_matrix(const GenerateRequest& request);

/// Writes the scripts of `matrix` and the index into `request.out`. `then`: a shell command that
/// each script runs after its program, if that succeeded or stopped early.
GenerateReport write_matrix(const GenerateRequest& request, const Matrix& matrix,
                            const std::string& then = "");

/// Both. Never removes anything from an existing output folder. Throws Error, RunError.
GenerateReport generate(const GenerateRequest& request);

}  // namespace epochcast::jobs
