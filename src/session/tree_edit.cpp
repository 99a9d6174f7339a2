// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "session/tree_edit.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "hdf5/making/make.hpp"

namespace lq::hdf5 {

namespace {

void require_something(hid_t file, const std::string& path, const Where& where) {
  if (path == "/") {
    throw Error(Code::invalid_argument, where.path + ": the root group stays what and where it is",
                {.path = where.path, .record = path});
  }
  if (has_link(file, path, where)) return;
  throw Error(Code::no_such_record, fmt::format("{}: there is no {}", where.path, base::printable(path)),
              {.path = where.path, .record = path});
}

void require_outside(const std::string& from, const std::string& to, const Where& where) {
  if (!to.starts_with(from + "/")) return;
  throw Error(Code::invalid_argument,
              fmt::format("{}: {} cannot be put into itself", where.path, base::printable(from)),
              {.path = where.path, .record = from});
}

}  // namespace

void remove_object(hid_t file, const std::string& path, const Where& where) {
  require_something(file, path, where);
  require(H5Ldelete(file, path.c_str(), H5P_DEFAULT), where, "it cannot be removed");
}

void rename_object(hid_t file, const std::string& from, const std::string& to, const Where& where) {
  require_something(file, from, where);
  require_outside(from, to, where);
  require_free(file, {where.path, to});
  make_group_above(file, to, where);
  require(H5Lmove(file, from.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), where, "it cannot be renamed");
}

void copy_object(hid_t file, const std::string& from, const std::string& to, const Where& where) {
  require_something(file, from, where);
  require_outside(from, to, where);
  require_free(file, {where.path, to});
  make_group_above(file, to, where);
  require(H5Ocopy(file, from.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), where, "it cannot be copied");
}

void remove_attribute(hid_t file, const std::string& path, const std::string& name, const Where& where) {
  const Handle object = require(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, where, "it cannot be opened");
  if (require(H5Aexists(object.get(), name.c_str()), where, "attributes cannot be looked up") == 0) {
    throw Error(Code::no_such_record,
                fmt::format("{}: {} has no attribute \"{}\"", where.path, base::printable(path), base::printable(name)),
                {.path = where.path, .record = path});
  }
  require(H5Adelete(object.get(), name.c_str()), where, "an attribute cannot be removed");
}

}  // namespace lq::hdf5
