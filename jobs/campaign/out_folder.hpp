// The output folder of an experiment on a cluster: its layout, its index of points, and the copies
// of its input files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"
#include "jobs/script/script.hpp"
#include "src/base/core/csv.hpp"
#include "src/base/core/file_lock.hpp"

namespace epochcast::jobs {

/// Of a journal or an index: some hundred thousand points.
inline constexpr std::size_t most_campaign_mib = 384;

/// The paths in the folder.
struct OutFolder {
  std::filesystem::path root;  ///< Absolute.

  /// Throws Error for "".
  explicit OutFolder(const std::filesystem::path& path);
  std::filesystem::path index() const { return root / "jobs.csv"; }
  std::filesystem::path origin() const { return root / "generate.json"; }
  std::filesystem::path experiment() const { return root / "experiment.yaml"; }
  std::filesystem::path cluster() const { return root / "cluster.yaml"; }
  std::filesystem::path journal() const { return root / "submissions.jsonl"; }
  /// What was sent when the experiment ended; NAME.txt and NAME.json.
  std::filesystem::path message(const std::string& extension) const {
    return root / ("message" + extension);
  }
  std::filesystem::path site() const { return root / "site.json"; }
  std::filesystem::path needs() const { return root / "needs.csv"; }
  std::filesystem::path plan() const { return root / "plan.csv"; }
  std::filesystem::path pilots() const { return root / "pilots"; }
  std::filesystem::path scripts() const { return root / "scripts"; }
  std::filesystem::path arrays() const { return root / "arrays"; }
  /// Of an earlier version: points of a job that runs several, and how their scripts ended.
  std::filesystem::path ended(const std::string& token) const {
    return arrays() / (token + ".ended");
  }
  /// For the script of such a job: points that are cancelled alone, a file for each, with how.
  std::filesystem::path cancelled(const std::string& token) const {
    return arrays() / (token + ".cancelled");
  }
  std::filesystem::path logs() const { return root / "logs"; }
  std::filesystem::path records() const { return root / "records"; }
  std::filesystem::path work() const { return root / "work"; }
  std::filesystem::path claims() const { return root / "claims"; }
  /// Of an earlier version: POINT.JOB of each claim that was released.
  std::filesystem::path released() const { return root / "claims/released"; }
  std::filesystem::path script(const std::string& point) const {
    return scripts() / (point + ".sbatch");
  }
  std::filesystem::path claim(const std::string& point) const { return claims() / point; }
};

/// jobs.csv: one row per point. The first columns are its id, its allocation and whether it belongs
/// to the last `generate`; the others are its parameters.
struct Index {
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;

  static constexpr std::size_t point = 0, allocation = 1, current = 2;

  /// The column of a parameter; nothing if no point has it.
  std::optional<std::size_t> column(const std::string& name) const;
};

/// Where else than in the ledger `plan` finds runs whose shape its forecasts may use.
struct RelativesAsked {
  std::vector<std::string> paths;       ///< Records and folders of them, absolute.
  std::vector<std::string> may_differ;  ///< Parameters.
};

/// Throws Error "OUT: is not an output folder; make one with 'epochcast-jobs generate'".
Index read_index(const OutFolder& out);
std::string index_text(const Index& index);

/// The index of new points.
Index index_of(const std::vector<Point>& points);
/// `fresh`, followed by the rows that only `old` has, marked as not current.
Index merge(const Index& fresh, const Index& old);

/// Rows that match every "column=value[,value...]". Throws Error for an unknown column.
std::vector<CsvRow> select(const Index& index, const std::vector<std::string>& filters);

/// The profile and the settings that the folder was made from.
struct Origin {
  Cluster cluster;
  ScriptContext context;
  RelativesAsked relatives;
};
Origin read_origin(const OutFolder& out);

/// Point -> the parameters in which it differs from other points of its model and that its id does
/// not show: "depth=2", "batch=32 dataset.limit=100"; "" if there are none.
std::map<std::string, std::string> swept_values(const Index& index);

/// "POINT (lr=0.1)": the point for a message, with its swept values if there are any.
std::string shown_name(const std::string& point, const std::string& swept);

/// A lock on an output folder. It is held while the object, or a child process that inherited it,
/// lives.
class FolderLock {
 public:
  /// Takes the lock `path`. Throws RunError "OUT: another 'epochcast-jobs WHAT' is active here" if
  /// another process still holds it after `timeout_s`.
  FolderLock(const std::filesystem::path& path, const char* what,
             FileLock::Inherit inherit = FileLock::Inherit::no, double timeout_s = 0);

 private:
  FileLock lock_;
};

/// The folder that OUT was copied or moved from. Nothing if OUT is the original (also by another
/// path), or if generate.json is missing or too old.
std::optional<std::filesystem::path> original_of(const OutFolder& out);

/// How to fix a folder, or pilots of it, that was copied or moved.
std::string fix_of_copy(const OutFolder& out);

/// Throws Error if OUT or its pilots are a copy or were moved: the scripts contain the path where
/// they were made.
void require_made_here(const OutFolder& out);

}  // namespace epochcast::jobs
