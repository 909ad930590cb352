// What a program's output states of its schedule and its layout (run::stated_names), in whatever
// form it prints its configuration: "eval_interval ....... 1000", "--eval_steps=500",
// "EVALUATE_EVERY=20", "'save_steps': 500,".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::progress {

class StatedValues {
 public:
  /// Bytes as they come, cut anywhere.
  void read(std::string_view bytes);
  /// The output has ended.
  void finish() { read("\n"); }
  /// The parameters that were found since the last call, each name once: of several values before
  /// that, the last.
  std::vector<record::ParameterRow> take();

 private:
  void scan(std::string_view text);

  std::string tail_;  ///< The last bytes: a statement may be cut.
  std::map<std::string, std::string> found_;
  std::set<std::string> taken_;
};

/// Those of a whole text.
std::vector<record::ParameterRow> stated_values(std::string_view text);

}  // namespace epochcast::progress
