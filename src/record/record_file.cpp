#include "src/record/record_file.hpp"

namespace epochcast::record {

void write_header(h5::File& file, const RecordHeader& header) {
  const auto* memory = reinterpret_cast<const char*>(&header);
  for (const auto& column : layout_of<RecordHeader>().columns) {
    file.set_attribute("/", column, memory + column.offset_bytes);
  }
}

RecordHeader read_header(const h5::File& file) {
  RecordHeader header;
  auto* memory = reinterpret_cast<char*>(&header);
  for (const auto& column : layout_of<RecordHeader>().columns) {
    file.read_attribute(column, memory + column.offset_bytes);
  }
  return header;
}

}  // namespace epochcast::record
