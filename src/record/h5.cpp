#include "src/record/h5.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace epochcast::h5 {
namespace {

static_assert(std::is_same_v<Handle::Id, hid_t>);

/// The innermost entry of HDF5's error stack, which names the cause.
herr_t take_first(unsigned, const H5E_error2_t* entry, void* text) {
  *static_cast<std::string*>(text) = entry->desc == nullptr ? "" : entry->desc;
  return 1;  // stop here
}

/// HDF5 wraps the system's message in a page of addresses and a time stamp with a line break; of
/// "file write failed: time = ..., error message = 'No space left on device', buf = ..." two parts tell something.
std::string shorten(const std::string& text) {
  constexpr std::string_view mark = "error message = '";
  const auto start = text.find(mark);
  if (start == std::string::npos) {
    return text;
  }
  const auto message = text.substr(start + mark.size());
  return text.substr(0, text.find_first_of(":,")) + ": " + message.substr(0, message.find('\''));
}

template <class Result>
Result check(Result result, std::string_view what) {
  if (result < 0) {
    std::string cause;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &cause);
    throw Failure(fmt::format("cannot {}: {}", what, shorten(cause)));
  }
  return result;
}

Handle own(hid_t id, Handle::Close close, std::string_view what) { return {check(id, what), close}; }

Handle type_of(const Column& column) {
  if (column.kind != Kind::text) {
    return own(H5Tcopy(column.kind == Kind::integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE), H5Tclose,
               "copy a type");
  }
  auto type = own(H5Tcopy(H5T_C_S1), H5Tclose, "copy a type");
  check(H5Tset_size(type.id(), column.size_bytes), "size a text type");
  check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "pad a text type");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "set the character set of a text type");
  return type;
}

Handle compound_of(const Layout& layout) {
  auto type = own(H5Tcreate(H5T_COMPOUND, layout.row_bytes), H5Tclose, "create a row type");
  for (const auto& column : layout.columns) {
    check(H5Tinsert(type.id(), std::string(column.name).c_str(), column.offset_bytes, type_of(column).id()),
          "insert a column");
  }
  return type;
}

H5T_class_t class_of(Kind kind) {
  return kind == Kind::integer ? H5T_INTEGER : kind == Kind::number ? H5T_FLOAT : H5T_STRING;
}

/// The type to read `column` with from a value of type `stored`, which must be of its kind. HDF5 does not
/// convert between character sets, so the stored one is taken.
Handle type_to_read(const Column& column, hid_t stored) {
  if (H5Tget_class(stored) != class_of(column.kind) || H5Tis_variable_str(stored) > 0) {
    throw Failure(fmt::format("'{}' is not of the expected type", column.name));
  }
  auto type = type_of(column);
  if (column.kind == Kind::text) {
    check(H5Tset_cset(type.id(), H5Tget_cset(stored)), "set the character set of a text type");
  }
  return type;
}

Handle access_properties() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
  auto properties = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up file access");
  check(H5Pset_file_locking(properties.id(), false, true), "leave out file locks");
  return properties;
}

/// Rows in a chunk: about 16 KiB, so that short runs stay small and long ones are read in large pieces.
hsize_t chunk_rows(std::size_t row_bytes) { return std::clamp<hsize_t>(16384 / row_bytes, 8, 1024); }

/// Whether the file holds the rows it claims to hold; a damaged file must not make us allocate the moon.
void check_claim(hid_t dataset, hid_t type, std::size_t rows, const std::string& name) {
  const auto properties = own(H5Dget_create_plist(dataset), H5Pclose, "read the properties of a table");
  const std::size_t row_bytes = H5Tget_size(type);
  // A user's h5repack may have compressed the table, by no more than deflate can.
  const std::size_t most = H5Pget_nfilters(properties.id()) > 0 ? 1100 : 1;
  const std::size_t held = H5Dget_storage_size(dataset) * most;
  if (row_bytes == 0 || rows > held / row_bytes) {
    throw Failure(fmt::format("table '{}' claims {} rows and holds fewer", name, rows));
  }
}

}  // namespace

Handle::Handle(Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), close_(std::exchange(other.close_, nullptr)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

int Handle::reset() {
  const auto id = std::exchange(id_, -1);
  return id < 0 ? 0 : close_(id);
}

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
  check(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, &start, nullptr, &length, nullptr), "select rows");
  const auto memory = own(H5Screate_simple(1, &length, nullptr), H5Sclose, "describe rows");
  check(H5Dwrite(dataset_.id(), memory_type_.id(), memory.id(), file.id(), H5P_DEFAULT, rows), "write rows");
}

void Table::read(const Layout& layout, void* rows) const {
  const auto stored = own(H5Dget_type(dataset_.id()), H5Tclose, "read the type of a table");
  if (H5Tget_class(stored.id()) != H5T_COMPOUND) {
    throw Failure("a table does not hold rows");
  }
  Layout packed;  // only what both sides have, so that nothing else in `rows` is touched
  std::vector<std::size_t> targets;
  std::vector<Handle> types;
  for (auto column : layout.columns) {
    const int index = H5Tget_member_index(stored.id(), std::string(column.name).c_str());
    if (index < 0) {
      continue;
    }
    const auto member = own(H5Tget_member_type(stored.id(), static_cast<unsigned>(index)), H5Tclose,
                            "read the type of a column");
    types.push_back(type_to_read(column, member.id()));
    targets.push_back(std::exchange(column.offset_bytes, packed.row_bytes));
    packed.row_bytes += column.size_bytes;
    packed.columns.push_back(column);
  }
  if (packed.columns.empty()) {
    return;
  }
  const auto type = own(H5Tcreate(H5T_COMPOUND, packed.row_bytes), H5Tclose, "create a row type");
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& column = packed.columns[i];
    check(H5Tinsert(type.id(), std::string(column.name).c_str(), column.offset_bytes, types[i].id()),
          "insert a column");
  }
  std::vector<char> buffer(this->rows() * packed.row_bytes);
  check(H5Dread(dataset_.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()), "read rows");
  auto* into = static_cast<char*>(rows);
  for (const char* row = buffer.data(); row != buffer.data() + buffer.size(); row += packed.row_bytes) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto& column = packed.columns[i];
      std::memcpy(into + targets[i], row + column.offset_bytes, column.size_bytes);
    }
    into += layout.row_bytes;
  }
}

File File::create(const std::string& path) {
  return File(own(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access_properties().id()), H5Fclose,
                  "create " + path));
}

File File::open(const std::string& path, Mode mode) {
  const unsigned flags = mode == Mode::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
  return File(own(H5Fopen(path.c_str(), flags, access_properties().id()), H5Fclose, "open"));
}

Table File::create_table(const std::string& name, const Layout& layout) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = chunk_rows(layout.row_bytes);
  const auto space = own(H5Screate_simple(1, &none, &unlimited), H5Sclose, "describe a table");
  const auto properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe a table");
  check(H5Pset_chunk(properties.id(), 1, &chunk), "describe a table");
  check(H5Pset_obj_track_times(properties.id(), false), "describe a table");
  auto type = compound_of(layout);
  auto dataset = own(H5Dcreate2(file_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                properties.id(), H5P_DEFAULT),
                     H5Dclose, "create table " + name);
  return Table(std::move(dataset), std::move(type));
}

std::optional<Table> File::open_table(const std::string& name) const {
  if (check(H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT), "look for table " + name) == 0) {
    return std::nullopt;
  }
  auto dataset = own(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open table " + name);
  const auto type = own(H5Dget_type(dataset.id()), H5Tclose, "read the type of table " + name);
  const auto id = dataset.id();
  Table table(std::move(dataset));
  if (const auto rows = table.rows(); rows > 0) {
    check_claim(id, type.id(), rows, name);
  }
  return table;
}

void File::set_attribute(const std::string& object, const Column& column, const void* value) {
  const auto type = type_of(column);
  const std::string name(column.name);
  Handle attribute;
  if (check(H5Aexists_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT), "look for attribute") > 0) {
    attribute = own(H5Aopen_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                    H5Aclose, "open attribute " + name);
  } else {
    const auto space = own(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
    attribute = own(H5Acreate_by_name(file_.id(), object.c_str(), name.c_str(), type.id(), space.id(),
                                      H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    H5Aclose, "create attribute " + name);
  }
  check(H5Awrite(attribute.id(), type.id(), value), "write attribute " + name);
}

void File::set_attribute(const std::string& object, std::string_view name, std::string_view text) {
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  set_attribute(object, Column{name, Kind::text, padded.size()}, padded.data());
}

bool File::read_attribute(const Column& column, void* value) const {
  const std::string name(column.name);
  if (check(H5Aexists(file_.id(), name.c_str()), "look for attribute " + name) == 0) {
    return false;
  }
  const auto attribute = own(H5Aopen(file_.id(), name.c_str(), H5P_DEFAULT), H5Aclose, "open attribute " + name);
  const auto space = own(H5Aget_space(attribute.id()), H5Sclose, "read attribute " + name);
  const auto stored = own(H5Aget_type(attribute.id()), H5Tclose, "read attribute " + name);
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw Failure(fmt::format("attribute '{}' is not a single value", name));
  }
  check(H5Aread(attribute.id(), type_to_read(column, stored.id()).id(), value), "read attribute " + name);
  return true;
}

void File::write_text(const std::string& name, const std::string& text) {
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  const auto type = type_of({name, Kind::text, padded.size()});
  const auto space = own(H5Screate(H5S_SCALAR), H5Sclose, "describe a text");
  const auto dataset = own(H5Dcreate2(file_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose, "create " + name);
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "write " + name);
}

std::optional<std::string> File::read_text(const std::string& name) const {
  if (check(H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT), "look for " + name) == 0) {
    return std::nullopt;
  }
  const auto dataset = own(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  const auto stored = own(H5Dget_type(dataset.id()), H5Tclose, "read " + name);
  const auto size = H5Tget_size(stored.id());
  const auto space = own(H5Dget_space(dataset.id()), H5Sclose, "read " + name);
  if (H5Sget_simple_extent_npoints(space.id()) != 1 || size > H5Dget_storage_size(dataset.id())) {
    throw Failure(fmt::format("'{}' is not a text", name));
  }
  std::string text(size, '\0');
  const auto type = type_to_read({name, Kind::text, size}, stored.id());
  check(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "read " + name);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

void File::reserve(std::size_t bytes) {
  void* driver = nullptr;
  check(H5Fget_vfd_handle(file_.id(), H5P_DEFAULT, &driver), "reach the file");
  const int descriptor = *static_cast<int*>(driver);
  struct stat status {};
  struct rlimit limit {};
  if (fstat(descriptor, &status) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0) {
    return;
  }
  const auto length = static_cast<off_t>(bytes);
  // Beyond the end of the file fallocate does not ask for the limit of the process.
  const bool too_large = static_cast<rlim_t>(status.st_size + length) > limit.rlim_cur;
  const bool granted = !too_large && fallocate(descriptor, FALLOC_FL_KEEP_SIZE, status.st_size, length) == 0;
  const int error = too_large ? EFBIG : errno;
  if (!granted && (error == ENOSPC || error == EDQUOT || error == EFBIG)) {
    throw Failure(std::strerror(error));
  }
}

void File::flush() { check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL), "write"); }

void File::close() { check(file_.reset(), "close"); }

}  // namespace epochcast::h5
