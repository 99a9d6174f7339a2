// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public hdf5::File.
#include <limequat/error.hpp>
#include <limequat/hdf5.hpp>

#include "hdf5/session/session.hpp"

namespace lq::hdf5 {

std::string_view name(EntryKind kind) noexcept {
  switch (kind) {
    case EntryKind::group:
      return "group";
    case EntryKind::dataset:
      return "dataset";
    case EntryKind::type:
      return "type";
    case EntryKind::link:
      return "link";
    case EntryKind::other:
      break;
  }
  return "other";
}

File::File(const std::string& path, Mode mode, const Communicator& communicator, const Hdf5Options& options)
    : session_(open_session(path, mode, communicator, options)) {}
File::~File() = default;
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;

File::Session& File::session() const {
  if (session_) return *session_;
  throw Error(Code::wrong_state, "this session with an HDF5 file was moved to another object");
}

const std::string& File::pwd() const { return session().pwd(); }
void File::cd(const std::string& path) { session().cd(path); }
void File::push(const std::string& path) { session().push(path); }
void File::pop() { session().pop(); }
std::vector<Entry> File::ls(const std::string& path) { return session().ls(path); }
Facts File::stat(const std::string& path) { return session().stat(path); }
bool File::exists(const std::string& path) { return session().exists(path); }
void File::mkdir(const std::string& path) { session().mkdir(path); }
void File::remove(const std::string& path) { session().remove(path); }
void File::rename(const std::string& from, const std::string& to) { session().rename(from, to); }
void File::copy(const std::string& from, const std::string& to) { session().copy(from, to); }
void File::write(const std::string& path, const Array& value, bool replace) { session().write(path, value, replace); }
Array File::read(const std::string& path) { return session().read(path).value; }
ReadArray File::read_checked(const std::string& path) { return session().read(path); }
Report File::write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options) {
  return session().write(path, grid, field, options);
}
Report File::read(const std::string& path, const Grid& grid, const MutableField& field, const ReadOptions& options) {
  return session().read(path, grid, field, options);
}
Catalog File::catalog() { return session().catalog(); }
std::vector<std::pair<std::string, Array>> File::attributes(const std::string& path) {
  return session().attributes(path);
}
Array File::attribute(const std::string& path, const std::string& name) { return session().attribute(path, name); }
void File::set_attribute(const std::string& path, const std::string& name, const Array& value) {
  session().set_attribute(path, name, value);
}
void File::remove_attribute(const std::string& path, const std::string& name) {
  session().remove_attribute(path, name);
}
void File::flush() { session().flush(); }
void File::close() { session().close(); }

}  // namespace lq::hdf5
