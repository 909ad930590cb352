#include "src/base/core/csv_file.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {

CsvFile CsvFile::read(const std::string& path) {
  CsvFile file;
  file.path_ = path;
  const auto text = read_text_or_gzip(path, most_text_mib);
  CsvReader reader(text);
  CsvRow header;
  try {
    if (!reader.next(header)) {
      throw Error("found nothing, expected a header line");
    }
    for (CsvRow row; reader.next(row);) {
      file.rows_.push_back(std::move(row));
      file.lines_.push_back(reader.line());
    }
  } catch (const Error& error) {
    throw Error(path, reader.line(), error.what());
  }
  for (std::size_t i = 0; i < header.size(); ++i) {
    file.columns_[std::string(trim(header[i]))] = i;
  }
  for (std::size_t row = 0; row < file.rows_.size(); ++row) {
    if (file.rows_[row].size() != header.size()) {
      throw Error(fmt::format("{}: found {} cells, expected the {} of the header", file.place(row),
                              file.rows_[row].size(), header.size()));
    }
  }
  return file;
}

void CsvFile::require(const std::vector<std::string>& columns) const {
  const auto known = keys_in(columns_);
  for (const auto& column : columns) {
    if (!has(column)) {
      throw Error(path_, 1, fmt::format("no column '{}'{}", column, did_you_mean(column, known)));
    }
  }
}

const std::string& CsvFile::text(std::size_t row, const std::string& column) const {
  static const std::string nothing;
  const auto found = columns_.find(column);
  return found == columns_.end() ? nothing : rows_[row][found->second];
}

std::optional<double> CsvFile::number(std::size_t row, const std::string& column) const {
  const auto value = parse_double(trim(text(row, column)));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string CsvFile::place(std::size_t row) const {
  return fmt::format("{}:{}", path_, lines_[row]);
}

void ExcludedRows::add(const std::string& place, const std::string& why) {
  if (count_++ == 0) {
    first_ = place + ": " + why;
  }
}

std::optional<std::string> ExcludedRows::note() const {
  if (count_ == 0) {
    return std::nullopt;
  }
  return fmt::format("{} row{} left out; the first: {}", count_, count_ == 1 ? "" : "s", first_);
}

std::optional<double> positive(const CsvFile& file, std::size_t row, const std::string& column,
                               ExcludedRows& excluded) {
  const auto value = file.number(row, column);
  if (value && *value > 0) {
    return value;
  }
  excluded.add(file.place(row), fmt::format("{}: found '{}', expected a number above 0", column,
                                            file.text(row, column)));
  return std::nullopt;
}

}  // namespace epochcast
