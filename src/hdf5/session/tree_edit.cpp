// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/session/tree_edit.hpp"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "hdf5/driver/versions.hpp"
#include "hdf5/making/make.hpp"
#include "hdf5/tree/storage.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {

namespace {

void require_something(hid_t file, const std::string& path, const Where& where) {
  if (path == "/") {
    throw Error(Code::invalid_argument, where.path + ": the root group cannot be removed, replaced or moved",
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

void require_whole_dataset(hid_t dataset, const Where& where) {
  const Handle list = require(H5Dget_create_plist(dataset), H5Pclose, where, "its layout cannot be read");
  if (H5Pget_layout(list.get()) == H5D_CHUNKED) count_chunks(dataset, where);
}

// Damage that the library (1.10.8) meets while it frees something keeps the file open indefinitely, and ends the
// program when that ends: what is to go is read before.
void require_whole(hid_t file, const std::string& path, const std::string& file_path) {
  std::set<std::uint64_t> seen;
  std::vector<std::string> left{path};
  while (!left.empty()) {
    const Where where{file_path, left.back()};
    left.pop_back();
    RawLink link;
    require(link_facts(file, where.object.c_str(), link), where, "its link cannot be read");
    if (link.type != H5L_TYPE_HARD || !seen.insert(link.address).second) continue;
    const Handle object =
        require(H5Oopen(file, where.object.c_str(), H5P_DEFAULT), H5Oclose, where, "it cannot be opened");
    RawObject facts;
    require(object_facts(object.get(), facts), where, "its header cannot be read");
    if (facts.type == H5O_TYPE_DATASET) require_whole_dataset(object.get(), where);
    if (facts.type != H5O_TYPE_GROUP) continue;
    RawLinks members;
    require(list_links(object.get(), UINT64_MAX, members), where, "its members cannot be listed");
    for (const RawLink& member : members.links) left.push_back(child_path(where.object, member.name));
  }
}

}  // namespace

void remove_object(hid_t file, const std::string& path, const Where& where) {
  require_something(file, path, where);
  require_whole(file, path, where.path);
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
