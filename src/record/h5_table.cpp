#include <algorithm>
#include <cstring>
#include <utility>

#include "src/record/h5_calls.hpp"

namespace epochcast::record::h5 {
namespace {

void insert(const Handle& compound, const Column& column, const Handle& type) {
  const std::string name(column.name);
  check(H5Tinsert(compound.id(), name.c_str(), column.offset_bytes, type.id()),
        "insert column " + name);
}

Handle compound_of(const Layout& layout) {
  auto type = own(H5Tcreate(H5T_COMPOUND, layout.row_bytes), H5Tclose, "create a row type");
  for (const auto& column : layout.columns) {
    insert(type, column, type_of(column));
  }
  return type;
}

/// Rows per chunk: about 16 KiB, so that files of short runs are small and reads of long runs are
/// large.
hsize_t chunk_rows(std::size_t row_bytes) {
  return std::clamp<hsize_t>(16384 / row_bytes, 8, 1024);
}

bool is_compressed(const Handle& properties) {
  const int filters = H5Pget_nfilters(properties.id());
  unsigned flags = 0;
  std::size_t values = 0;
  const bool has_checksum = H5Pget_filter_by_id2(properties.id(), H5Z_FILTER_FLETCHER32, &flags,
                                                 &values, nullptr, 0, nullptr, nullptr) >= 0;
  return filters > (has_checksum ? 1 : 0);
}

/// Throws Failure if the file cannot hold the number of rows that it declares: a damaged number
/// must not cause a huge allocation.
void check_claim(hid_t dataset, hid_t type, std::size_t rows, const std::string& name) {
  const auto properties =
      own(H5Dget_create_plist(dataset), H5Pclose, "read the properties of a table");
  const std::size_t row_bytes = H5Tget_size(type);
  // h5repack may have compressed the table; 1100 exceeds the maximum ratio of deflate.
  const std::size_t most = is_compressed(properties) ? 1100 : 1;
  const std::size_t held = H5Dget_storage_size(dataset) * most;
  if (row_bytes == 0 || rows > held / row_bytes) {
    throw Failure(fmt::format("table '{}' claims {} rows and holds fewer", name, rows));
  }
}

/// The requested columns that exist in the file, packed without gaps.
struct Packed {
  Layout layout;
  std::vector<Handle> types;
  std::vector<std::size_t> targets;  ///< Offset of each column in the requested row.

  Handle row_type() const {
    auto type = own(H5Tcreate(H5T_COMPOUND, layout.row_bytes), H5Tclose, "create a row type");
    for (std::size_t i = 0; i < types.size(); ++i) {
      insert(type, layout.columns[i], types[i]);
    }
    return type;
  }

  void unpack(const char* packed, char* row) const {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      std::memcpy(row + targets[i], packed + layout.columns[i].offset_bytes,
                  layout.columns[i].size_bytes);
    }
  }
};

Packed pack_common(const Layout& wanted, hid_t stored) {
  Packed packed;
  for (auto column : wanted.columns) {
    int index = H5Tget_member_index(stored, std::string(column.name).c_str());
    if (index < 0 && !column.old_name.empty()) {
      column.name = column.old_name;  // HDF5 matches members of compounds by name
      index = H5Tget_member_index(stored, std::string(column.old_name).c_str());
    }
    if (index < 0) {
      continue;
    }
    const auto member = own(H5Tget_member_type(stored, static_cast<unsigned>(index)), H5Tclose,
                            "read a column's type");
    packed.types.push_back(type_to_read(column, member.id()));
    packed.targets.push_back(std::exchange(column.offset_bytes, packed.layout.row_bytes));
    packed.layout.row_bytes += column.size_bytes;
    packed.layout.columns.push_back(column);
  }
  return packed;
}

}  // namespace

Table::Table(Handle dataset, Handle memory_type)
    : dataset_(std::move(dataset)), memory_type_(std::move(memory_type)) {}

std::size_t Table::rows() const {
  const auto space = own(H5Dget_space(dataset_.id()), H5Sclose, "read the size of a table");
  hsize_t rows = 0;
  if (H5Sget_simple_extent_ndims(space.id()) != 1) {
    throw Failure("a table is not one-dimensional");
  }
  check(H5Sget_simple_extent_dims(space.id(), &rows, nullptr), "read the size of a table");
  return rows;
}

void Table::write(std::size_t first, const void* rows, std::size_t count) {
  const hsize_t start = first, length = count, end = first + count;
  if (end > this->rows()) {
    check(H5Dset_extent(dataset_.id(), &end), "extend a table");
  }
  const auto file = own(H5Dget_space(dataset_.id()), H5Sclose, "read the size of a table");
  check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, &start, nullptr, &length, nullptr),
        "select rows");
  const auto memory = own(H5Screate_simple(1, &length, nullptr), H5Sclose, "describe rows");
  check(H5Dwrite(dataset_.id(), memory_type_.id(), memory.id(), file.id(), H5P_DEFAULT, rows),
        "write rows");
}

void Table::read(const Layout& layout, void* rows) const {
  const auto stored = own(H5Dget_type(dataset_.id()), H5Tclose, "read the type of a table");
  if (H5Tget_class(stored.id()) != H5T_COMPOUND) {
    throw Failure("a table does not hold rows");
  }
  const auto packed = pack_common(layout, stored.id());
  if (packed.types.empty()) {
    return;
  }
  const auto step = packed.layout.row_bytes;
  std::vector<char> buffer(this->rows() * step);
  check(
      H5Dread(dataset_.id(), packed.row_type().id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()),
      "read rows");
  auto* row = static_cast<char*>(rows);
  for (std::size_t at = 0; at < buffer.size(); at += step, row += layout.row_bytes) {
    packed.unpack(buffer.data() + at, row);
  }
}

Table File::create_table(const std::string& name, const Layout& layout) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = chunk_rows(layout.row_bytes);
  const auto space = own(H5Screate_simple(1, &none, &unlimited), H5Sclose, "describe a table");
  const auto properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe a table");
  check(H5Pset_chunk(properties.id(), 1, &chunk), "describe a table");
  check(H5Pset_obj_track_times(properties.id(), false), "describe a table");
  check(H5Pset_fletcher32(properties.id()), "describe a table");  // a flipped byte is found
  auto type = compound_of(layout);
  auto dataset = own(H5Dcreate2(file_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                properties.id(), H5P_DEFAULT),
                     H5Dclose, "create table " + name);
  return Table(std::move(dataset), std::move(type));
}

std::optional<Table> File::open_table(const std::string& name, const Layout* layout) const {
  if (check(H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT), "look for table " + name) == 0) {
    return std::nullopt;
  }
  auto dataset =
      own(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open table " + name);
  const auto type = own(H5Dget_type(dataset.id()), H5Tclose, "read the type of table " + name);
  const auto id = dataset.id();
  Table table(std::move(dataset), layout == nullptr ? Handle() : compound_of(*layout));
  if (const auto rows = table.rows(); rows > 0) {
    check_claim(id, type.id(), rows, name);
  }
  return table;
}

}  // namespace epochcast::record::h5
