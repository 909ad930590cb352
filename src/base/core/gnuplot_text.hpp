// Texts in scripts for gnuplot.
#pragma once

#include <string>

namespace epochcast {

/// Quotes a text. gnuplot interprets nothing between single quotes, but takes ''' at the start of
/// one for an empty text with a quote after it. A text that holds a quote stands between double
/// ones, with the characters that mean something there as octal numbers.
std::string gnuplot_quoted(const std::string& text);

}  // namespace epochcast
