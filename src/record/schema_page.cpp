// Generates the schema page from the same declarations that write the files.
#include <fmt/format.h>

#include "src/record/reader.hpp"
#include "src/record/record.hpp"
#include "src/record/row_type.hpp"

namespace epochcast::record {
namespace {

template <class Value>
std::string type_of() {
  switch (kind_of<Value>()) {
    case h5::Kind::integer:
      return "int64";
    case h5::Kind::number:
      return "float64";
    case h5::Kind::text:
      break;
  }
  return fmt::format("text[{}]", sizeof(Value));
}

template <class Row>
void append_fields(std::string& page) {
  for_each_field<Row>([&](const auto& field) {
    const auto unit = field.unit == "1" ? "" : fmt::format(", {}", field.unit);
    page += fmt::format("* `{}` ({}{}): {}\n", field.name, type_of<value_of<decltype(field)>>(),
                        unit, field.meaning);
  });
}

}  // namespace

std::string schema_page() {
  std::string page = fmt::format(
      "# The record, schema version {}\n\n"
      "One HDF5 file an attempt; beside it, under the same name with `.jsonl`, the same as one "
      "JSON object a line\n"
      "(`{{\"table\": \"epochs\", \"epoch\": 0, ...}}`; a number that JSON cannot say is a text: "
      "`\"nan\"`, `\"inf\"`).\n"
      "`text[64]` is UTF-8 of 64 bytes, padded with NUL. Without a unit: a count or a label. Times "
      "are seconds of a monotonic\n"
      "clock since the process started; names in `_at` are ISO 8601 with offset. Every table "
      "carries the attributes\n"
      "`meaning`, `units` and `meanings` (the last two JSON by column). A reader goes by names: "
      "fields it does not\n"
      "know are ignored, fields it does not find are at their defaults.\n\n"
      "```python\n"
      "import h5py, pandas\n"
      "with h5py.File(\"record.h5\") as record:\n"
      "    print(dict(record.attrs))\n"
      "    print(pandas.DataFrame(record[\"epochs\"][:]))\n"
      "```\n\n"
      "## Attributes of the root\n\n",
      record_schema_version);
  append_fields<RecordHeader>(page);
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    page += fmt::format("\n## `/{}`\n\n{}.\n\n", table.name, table.meaning);
    append_fields<Row>(page);
  });
  return page +
         "\n## `/modules`\n\nThe environment of the run as text: loaded modules and variables.\n";
}

}  // namespace epochcast::record
