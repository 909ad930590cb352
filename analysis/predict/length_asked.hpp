// How long a run is to be: --epochs, --steps, --samples, --tokens or --until, one of them.
#pragma once

#include <string>
#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/record/record.hpp"

namespace epochcast::analysis {

/// The options.
const std::vector<cli::Option>& length_options();

/// Throws Error if two of them are given.
void require_one_length(const cli::Arguments& arguments);

/// --epochs N or --steps N as they are, else the length of the record. Throws Error for an N that
/// is no number above 0.
forecast::RunLength length_wanted(const record::Record& record, const cli::Arguments& arguments);

struct LengthAsked {
  forecast::RunLength length = {};
  std::string refused = {};  ///< Not empty: why the record has no such length.
  std::string note = {};     ///< What the length asked for came to; empty: nothing to say.
};

/// The same for all the options; else the `max_steps` of a log that states no other length. Where
/// the record counts something else, the length is converted by the samples of a step and the
/// tokens of a sample (--sequence-length goes before the record).
LengthAsked length_asked(const record::Record& record, const cli::Arguments& arguments);

}  // namespace epochcast::analysis
