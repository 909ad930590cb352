#include "src/base/config/csv_rows.hpp"

namespace epochcast::run {

void read_cell(const std::string& cell, bool& value) {
  if (cell != "yes" && cell != "no") {
    throw Error(fmt::format("found '{}', expected yes or no", cell));
  }
  value = cell == "yes";
}

void read_cell(const std::string& cell, double& value) {
  if (cell.empty()) {
    return;
  }
  from_text(cell, value);
  if (!std::isfinite(value) || value < 0) {
    throw Error(fmt::format("found '{}', expected a time >=0", cell));
  }
}

bool CsvLines::next(CsvRow& row) {
  while (true) {
    try {
      const bool found = reader_.next(row);
      line_ = before_ + reader_.line();
      return found;
    } catch (const Error& error) {
      note(before_ + reader_.line(), error);
      for (int i = 0; i < reader_.line(); ++i) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
      }
      before_ += reader_.line();
      reader_ = CsvReader(rest_);
    }
  }
}

void CsvLines::note(int line, const Error& error) {
  constexpr std::size_t most = 10'000;  // of another file, each line is one
  if (damaged_ != nullptr && damaged_->size() <= most) {
    damaged_->push_back(damaged_->size() < most ? Error(path_, line, error.what()).what()
                                                : path_ + ": more lines that cannot be read");
  }
}

}  // namespace epochcast::run
