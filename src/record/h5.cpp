#include "src/record/h5.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "src/record/h5_calls.hpp"

namespace epochcast::record::h5 {
namespace {

Handle access_properties() {
  // Every file is closed by its owner. At exit, HDF5 would try again to write the data that a full
  // disk has refused, and crash.
  [[maybe_unused]] static const herr_t before_first_use = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
  auto properties = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up file access");
  check(H5Pset_file_locking(properties.id(), false, true), "leave out file locks");
  return properties;
}

int descriptor_of(const Handle& file) {
  void* driver = nullptr;
  check(H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &driver), "reach the file");
  return *static_cast<int*>(driver);
}

/// Closes the file in programs that are started while it is open, such as the one that
/// epochcast-run watches: they must not hold it.
Handle not_inherited(Handle file) {
  fcntl(descriptor_of(file), F_SETFD, FD_CLOEXEC);
  return file;
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

File File::create(const std::string& path) {
  return File(not_inherited(
      own(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access_properties().id()), H5Fclose,
          "create " + path)));
}

File File::open(const std::string& path, Mode mode) {
  const auto properties = access_properties();
  if (mode == Mode::update) {
    return File(
        not_inherited(own(H5Fopen(path.c_str(), H5F_ACC_RDWR, properties.id()), H5Fclose, "open")));
  }
  constexpr std::size_t grow_by = 65536;  // a required argument; the copy does not grow
  check(H5Pset_fapl_core(properties.id(), grow_by, false), "set up a copy in memory");
  return File(own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, properties.id()), H5Fclose, "open"));
}

void File::set_attribute(const std::string& object, const Column& column, const void* value) {
  const auto type = type_of(column);
  const std::string name(column.name);
  Handle attribute;
  if (check(H5Aexists_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT),
            "look for attribute") > 0) {
    attribute =
        own(H5Aopen_by_name(file_.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
            H5Aclose, "open attribute " + name);
  } else {
    const auto space = own(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
    attribute = own(H5Acreate_by_name(file_.id(), object.c_str(), name.c_str(), type.id(),
                                      space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
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
  const auto attribute =
      own(H5Aopen(file_.id(), name.c_str(), H5P_DEFAULT), H5Aclose, "open attribute " + name);
  const auto space = own(H5Aget_space(attribute.id()), H5Sclose, "read attribute " + name);
  const auto stored = own(H5Aget_type(attribute.id()), H5Tclose, "read attribute " + name);
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw Failure(fmt::format("attribute '{}' is not a single value", name));
  }
  check(H5Aread(attribute.id(), type_to_read(column, stored.id()).id(), value),
        "read attribute " + name);
  return true;
}

void File::write_text(const std::string& name, const std::string& text) {
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  const auto type = type_of({name, Kind::text, padded.size()});
  const auto space = own(H5Screate(H5S_SCALAR), H5Sclose, "describe a text");
  const auto dataset = own(H5Dcreate2(file_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose, "create " + name);
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()),
        "write " + name);
}

std::optional<std::string> File::read_text(const std::string& name) const {
  if (check(H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT), "look for " + name) == 0) {
    return std::nullopt;
  }
  const auto dataset =
      own(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  const auto stored = own(H5Dget_type(dataset.id()), H5Tclose, "read " + name);
  const auto size = H5Tget_size(stored.id());
  const auto space = own(H5Dget_space(dataset.id()), H5Sclose, "read " + name);
  if (H5Sget_simple_extent_npoints(space.id()) != 1 || size > H5Dget_storage_size(dataset.id())) {
    throw Failure(fmt::format("'{}' is not a text", name));
  }
  std::string text(size, '\0');
  const auto type = type_to_read({name, Kind::text, size}, stored.id());
  check(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()),
        "read " + name);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

void File::reserve(std::size_t bytes) {
  const int descriptor = descriptor_of(file_);
  struct stat status {};
  struct rlimit limit {};
  if (fstat(descriptor, &status) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0) {
    return;
  }
  const auto length = static_cast<off_t>(bytes);
  // Beyond the end of the file, fallocate does not check the size limit of the process.
  const bool too_large = static_cast<rlim_t>(status.st_size + length) > limit.rlim_cur;
  const bool granted =
      !too_large && fallocate(descriptor, FALLOC_FL_KEEP_SIZE, status.st_size, length) == 0;
  const int error = too_large ? EFBIG : errno;
  if (!granted && (error == ENOSPC || error == EDQUOT || error == EFBIG)) {
    throw Failure(std::strerror(error));
  }
}

void File::flush() {
  check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL), "write");
}

void File::close() {
  check(file_.reset(), "close");
}

}  // namespace epochcast::record::h5
