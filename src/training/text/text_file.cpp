#include "src/training/text/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/base/core/csv.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::text {
namespace {

/// Like CsvReader, for tab-separated lines without quoting.
class TsvReader {
 public:
  explicit TsvReader(std::string_view text) : text_(text) {}

  bool next(CsvRow& row) {
    if (text_.empty()) {
      return false;
    }
    const auto end = std::min(text_.find('\n'), text_.size());
    auto line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    row = split(line, '\t');
    ++line_;
    return true;
  }

  int line() const { return line_; }

 private:
  std::string_view text_;
  int line_ = 0;
};

bool is_blank(const CsvRow& row) {
  return row.empty() || (row.size() == 1 && row[0].empty());
}

/// The requested cells of a row.
struct Places {
  std::size_t cells = 0;
  std::size_t text = 0;
  std::optional<std::size_t> label;
};

std::optional<std::size_t> find_column(const CsvRow& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? std::nullopt : std::optional(found - header.begin());
}

/// Column names, shortened for a one-line error message.
CsvRow shown(CsvRow header) {
  constexpr std::size_t longest = 40;
  for (std::string& name : header) {
    name.resize(std::min(name.size(), longest));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  }
  return header;
}

std::size_t column(const CsvRow& header, const std::string& name) {
  const auto place = find_column(header, name);
  if (!place) {
    throw Error(fmt::format("found no column '{}'{}", name, did_you_mean(name, shown(header))));
  }
  if (std::ranges::count(header, name) > 1) {
    throw Error(
        fmt::format("found {} columns '{}', expected one", std::ranges::count(header, name), name));
  }
  return *place;
}

/// Reads a table row by row.
template <class Reader>
class Table {
 public:
  Table(std::string path, std::string_view text) : path_(std::move(path)), reader_(text) {}

  TextSamples read(const TextColumns& columns) {
    try {
      read_header(columns);
      while (next_row()) {
        add_row(columns);
      }
    } catch (const Error& error) {
      throw Error(path_, reader_.line(), error.what());
    }
    if (dropped_ > 0) {
      samples_.notes.push_back(fmt::format("{}: {} of {} rows left out; the first: {}", path_,
                                           dropped_, dropped_ + samples_.texts.size(), reason_));
    }
    if (samples_.texts.empty()) {
      throw Error(fmt::format("{}: found no rows with a text{}", path_,
                              reason_.empty() ? "" : "; the first left out: " + reason_));
    }
    return std::move(samples_);
  }

 private:
  bool next_row() {
    while (reader_.next(row_)) {
      if (!is_blank(row_)) {
        return true;
      }
    }
    return false;
  }

  void read_header(const TextColumns& columns) {
    if (!next_row()) {
      throw Error("found nothing, expected a header line");
    }
    places_.cells = row_.size();
    places_.text = column(row_, columns.text);
    constexpr bool tabs = std::is_same_v<Reader, TsvReader>;
    const bool glue_test =
        columns.glue && tabs && find_column(row_, "index") && !find_column(row_, columns.label);
    if (!glue_test) {
      places_.label = column(row_, columns.label);
    }
  }

  void add_row(const TextColumns& columns) {
    if (row_.size() != places_.cells) {
      throw Error(
          fmt::format("found {} cells, expected the {} of the header", row_.size(), places_.cells));
    }
    if (places_.label) {
      const auto label = parse_integer(trim(row_[*places_.label]));
      if (!label || *label < 0) {
        leave_out(columns.label);
        return;
      }
      samples_.labels.push_back(*label);
    }
    samples_.texts.push_back(std::move(row_[places_.text]));
    samples_.lines.push_back(reader_.line());
  }

  void leave_out(const std::string& label) {
    if (dropped_++ == 0) {
      reason_ =
          fmt::format("line {}: column '{}' holds no whole number from 0", reader_.line(), label);
    }
  }

  std::string path_;
  Reader reader_;
  CsvRow row_;
  Places places_;
  TextSamples samples_;
  std::size_t dropped_ = 0;
  std::string reason_;  ///< Why the first excluded row was excluded.
};

}  // namespace

TextSamples read_texts(const std::string& path, const TextColumns& columns) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const std::string bytes = read_text_or_gzip(path);
  std::string_view text = bytes;
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  const bool tabs = text.substr(0, text.find('\n')).find('\t') != std::string_view::npos;
  return tabs ? Table<TsvReader>(path, text).read(columns)
              : Table<CsvReader>(path, text).read(columns);
}

std::vector<std::int64_t> two_classes(const std::vector<std::int64_t>& labels,
                                      const std::vector<std::int64_t>& positive) {
  std::vector<std::int64_t> classes;
  for (const std::int64_t label : labels) {
    const bool found = std::find(positive.begin(), positive.end(), label) != positive.end();
    classes.push_back(found ? 1 : 0);
  }
  return classes;
}

}  // namespace epochcast::text
