#include <filesystem>

#include "src/core/clock.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"

namespace epochcast {

void settle_record(const std::string& path, const std::string& outcome, const std::string& text) {
  const auto lines_path = json_lines_path(path);
  const bool has_lines = std::filesystem::exists(lines_path);
  auto header = has_lines ? read_json_lines(lines_path).record.header : read_record(path).header;
  header.outcome = outcome;
  header.outcome_text = text;
  header.finished_at = iso8601();
  if (has_lines) {
    std::string line = "\n";  // ends a line that the kill tore
    append_line(line, "header", header);
    LineFile(lines_path, LineFile::Mode::append).write(line);
  }
  if (std::filesystem::exists(path)) {
    read_record(path);  // a damaged file is left as it is: throws
    auto file = h5::File::open(path, h5::File::Mode::update);
    write_header(file, header);
    file.flush();
    file.close();
  }
}

}  // namespace epochcast
