// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/session/store.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/findings.hpp"
#include "hdf5/driver/library.hpp"
#include "hdf5/layouts/folder.hpp"
#include "hdf5/making/make.hpp"
#include "hdf5/making/small_objects.hpp"
#include "hdf5/tree/storage.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {

namespace {

EntryKind kind_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::group:
      return EntryKind::group;
    case ObjectKind::dataset:
      return EntryKind::dataset;
    case ObjectKind::type:
      return EntryKind::type;
    case ObjectKind::other:
      break;
  }
  return EntryKind::other;
}

const char* word_of(StorageKind kind) {
  switch (kind) {
    case StorageKind::contiguous:
      return "contiguous";
    case StorageKind::chunked:
      return "chunked";
    case StorageKind::compact:
      return "compact";
    case StorageKind::external:
      return "external";
    case StorageKind::virtual_:
      return "virtual";
    case StorageKind::other:
      break;
  }
  return "other";
}

Entry entry_of(const Opened& file, const Found& group, const Link& link) {
  Entry entry{link.name, EntryKind::link, link.target};
  if (link.kind == LinkKind::external) entry.target = link.file + ":" + link.target;
  const ErrorPlace where = file.where(child_path(group.path, link.name));
  if (link.kind == LinkKind::hard) {
    entry.kind = kind_of(object_of(file, group.handle.get(), link.name, where).kind);
  } else if (link.kind == LinkKind::soft) {
    try {
      if (const auto found = find_object(file, where.object)) entry.kind = kind_of(found->object.kind);
    } catch (const Error& error) {
      // In a circle, or through another file.
      if (error.code() != Code::malformed && error.code() != Code::unsupported) throw;
    }
  }
  return entry;
}

// Attributes for information only; unreadable ones are treated as absent.
Attributes known_attributes(const Opened& file, hid_t object, const ErrorPlace& where, const Limits& limits) {
  return read_attributes(file, object, where, limits.text_bytes, [](const std::string&, const Error&) {});
}

std::string text_in(const Attributes& attributes, std::string_view name) {
  const Value* value = find(attributes, name);
  return value != nullptr ? text_of(*value).value_or("") : std::string();
}

std::string layout_of(const Attributes& attributes, bool is_committed) {
  if (find(attributes, "limequat_layout") != nullptr) return "native";
  if (find(attributes, ".kind") != nullptr) return find(attributes, ".sha256") != nullptr ? "qlua" : "qdp";
  return is_committed ? "qdp" : "";
}

// The data of a group, and the space that they use in the file.
class Sizes final : public Visitor {
 public:
  Sizes(const Opened& file, std::string group) : file_(file), group_(std::move(group)) {}
  void member(const Visited& member) override {
    if (member.kind != ObjectKind::dataset) return;
    const hid_t dataset = member.handle->get();
    stored += H5Dget_storage_size(dataset);
    if (group_ == "/" || member.path.starts_with(group_ + "/")) {
      bytes += describe_dataset(file_, dataset, file_.where(member.path)).bytes();
    }
  }
  void group(const Visited&) override {}
  std::uint64_t bytes = 0, stored = 0;

 private:
  const Opened& file_;
  std::string group_;
};

void add_facts(Facts& facts, const Dataset& data) {
  facts.type = to_string(data.type);
  facts.extents = data.extents;
  facts.storage = word_of(data.storage.kind);
  facts.chunk = data.storage.chunk;
  for (const Filter& filter : data.storage.filters) facts.filters.push_back(filter.name);
  facts.bytes = data.bytes();
}

// For elements that are compared; a lattice has a sum of its sites, which is compared when fields are read.
ChecksumStatus status_of(const Attributes& attributes, const Array& array) {
  const std::string stored = stored_digest(attributes);
  if (text_in(attributes, ".kind").starts_with("Lattice")) return ChecksumStatus::unchecked;
  if (!has_digest(attributes)) return ChecksumStatus::absent;
  // The age of the writing program is not recorded: either rule is accepted.
  const bool agrees = stored == digits_of(digest_of(array)) || stored == digits_of(digest_of(array, true));
  return agrees ? ChecksumStatus::ok : ChecksumStatus::mismatch;
}

}  // namespace

Found require_object(const Opened& file, const std::string& path, const std::string& from) {
  if (path.empty()) base::fail(Code::invalid_argument, {.path = file.path()}, "an empty path");
  auto found = find_object(file, path, from);
  if (found) return std::move(*found);
  base::fail(Code::no_such_record, {.path = file.path(), .record = path}, "there is no \"{}\"{}", base::printable(path),
             path.starts_with('/') ? "" : fmt::format(" in {}", base::printable(from)));
}

std::vector<Entry> list_entries(const Opened& file, const std::string& path, const std::string& from,
                                const Limits& limits) {
  const Found found = require_object(file, path, from);
  std::vector<Entry> entries;
  if (found.object.kind != ObjectKind::group) {
    return {{found.path.substr(found.path.rfind('/') + 1), kind_of(found.object.kind), {}}};
  }
  for (const Link& link : links_of(file, found.handle.get(), file.where(found.path), limits.records)) {
    entries.push_back(entry_of(file, found, link));
  }
  return entries;
}

Facts facts_of(const Opened& file, const std::string& path, const std::string& from, const Limits& limits) {
  const Found found = require_object(file, path, from);
  const ErrorPlace where = file.where(found.path);
  Facts facts;
  facts.path = found.path;
  facts.kind = kind_of(found.object.kind);
  facts.attributes = found.object.attributes;
  Attributes attributes;
  if (facts.kind != EntryKind::type && facts.kind != EntryKind::other) {
    attributes = known_attributes(file, found.handle.get(), where, limits);
  }
  bool is_committed = false;
  if (facts.kind == EntryKind::dataset) {
    const Dataset data = describe_dataset(file, found.handle.get(), where);
    is_committed = data.is_committed;
    add_facts(facts, data);
  } else if (facts.kind == EntryKind::type) {
    facts.type = to_string(describe_type(found.handle.get(), where));
  } else if (facts.kind == EntryKind::group) {
    Sizes sizes(file, found.path);
    format::Findings findings;
    walk(file, limits, findings, sizes);
    facts.bytes = sizes.bytes;
    if (found.path == "/") facts.unused_bytes = file.bytes() - std::min(sizes.stored, file.bytes());
  }
  if (const Value* time = find(attributes, ".time")) facts.microseconds = integer_of(*time);
  facts.checksum = text_in(attributes, "checksum");
  if (facts.checksum.empty()) facts.checksum = stored_digest(attributes);
  facts.layout = layout_of(attributes, is_committed);
  facts.object = text_in(attributes, facts.layout == "native" ? "kind" : ".kind");
  return facts;
}

ReadArray read_small(const Opened& file, const std::string& path, const std::string& from, const Hdf5Options& options) {
  const Found found = require_object(file, path, from);
  const ErrorPlace where = file.where(found.path);
  if (found.object.kind != ObjectKind::dataset) {
    base::fail(Code::invalid_argument, {.path = file.path(), .record = found.path},
               "{} is a {} and has no value; read its members or its attributes", base::printable(found.path),
               name(kind_of(found.object.kind)));
  }
  ReadArray read;
  read.value = array_of(read_value(file, found.handle.get(), where, options.limits.text_bytes), where);
  read.value.axes = axes_of(file, found.handle.get(), read.value.extents.size(), where);
  bool is_unreadable = false;
  const Attributes attributes =
      read_attributes(file, found.handle.get(), where, options.limits.text_bytes,
                      [&](const std::string& name, const Error&) { is_unreadable |= is_digest_name(name); });
  read.status = is_unreadable ? ChecksumStatus::mismatch : status_of(attributes, read.value);
  const bool is_missing = read.status == ChecksumStatus::absent && requires_digest(attributes);
  if (options.digests == Digests::ignore || (read.status != ChecksumStatus::mismatch && !is_missing)) return read;
  base::fail(Code::checksum_mismatch,
             {.path = file.path(),
              .record = found.path,
              .expected = stored_digest(attributes),
              .found = digits_of(digest_of(read.value))},
             "{}: {}; digests \"ignore\" reads it nevertheless", base::printable(found.path),
             is_missing                     ? "it has no SHA-256, although objects with its other attributes have one"
             : !is_digest_sound(attributes) ? "its SHA-256 is damaged"
                                            : "its numbers are not those that were written, by their SHA-256");
}

std::vector<std::pair<std::string, Array>> list_attributes(const Opened& file, const std::string& path,
                                                           const std::string& from, const Limits& limits) {
  const Found found = require_object(file, path, from);
  const ErrorPlace where = file.where(found.path);
  std::vector<std::pair<std::string, Array>> all;
  for (const auto& [name, value] : known_attributes(file, found.handle.get(), where, limits)) {
    // References, such as those of dimension scales, are not values.
    if (std::holds_alternative<std::monostate>(value.elements)) continue;
    if (std::holds_alternative<std::vector<std::byte>>(value.elements)) continue;
    all.emplace_back(name, array_of(value, where));
  }
  return all;
}

Array read_one_attribute(const Opened& file, const std::string& path, const std::string& from, const std::string& name,
                         const Limits& limits) {
  const Found found = require_object(file, path, from);
  const ErrorPlace where = file.where(found.path);
  const std::vector<std::string> names = attribute_names(found.handle.get(), where);
  if (std::ranges::find(names, name) == names.end()) {
    base::fail(Code::no_such_record, {.path = file.path(), .record = found.path},
               "{} has no attribute \"{}\"; it has {}", base::printable(found.path), base::printable(name),
               names.empty() ? "none" : base::printable(fmt::format("{}", fmt::join(names, ", "))));
  }
  return array_of(read_attribute(file, found.handle.get(), name, where, limits.text_bytes), where);
}

std::string lexical_path(const std::string& path, const std::string& from) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    base::fail(Code::invalid_argument, {}, "\"{}\" is not a path of an object", base::printable(path));
  }
  const std::string whole = path.starts_with('/') ? path : from + "/" + path;
  std::vector<std::string> steps;
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find('/', at), whole.size());
    const std::string step = whole.substr(at, end - at);
    at = end + 1;
    if (step == "..") {
      if (!steps.empty()) steps.pop_back();
    } else if (!step.empty() && step != ".") {
      steps.push_back(step);
    }
  }
  return "/" + fmt::format("{}", fmt::join(steps, "/"));
}

std::string place_for(const Opened& file, const std::string& path, const std::string& from) {
  const std::string wanted = lexical_path(path, from);
  if (wanted == "/") return wanted;
  // The last step may itself be a link, which is then the object meant.
  std::size_t slash = wanted.rfind('/');
  while (true) {
    const std::string above = slash == 0 ? "/" : wanted.substr(0, slash);
    const auto found = find_object(file, above);
    if (found && found->object.kind != ObjectKind::group) {
      base::fail(Code::invalid_argument, {.path = file.path(), .record = above},
                 "{} is not a group, so it cannot contain anything", base::printable(above));
    }
    if (found) return (found->path == "/" ? "" : found->path) + wanted.substr(slash);
    slash = wanted.rfind('/', slash - 1);
  }
}

namespace {

void require_something(hid_t file, const std::string& path, const ErrorPlace& where) {
  if (path == "/") {
    base::fail(Code::invalid_argument, {.path = where.path, .record = path},
               "the root group cannot be removed, replaced or moved");
  }
  if (has_link(file, path, where)) return;
  base::fail(Code::no_such_record, {.path = where.path, .record = path}, "there is no {}", base::printable(path));
}

void require_outside(const std::string& from, const std::string& to, const ErrorPlace& where) {
  if (!to.starts_with(from + "/")) return;
  base::fail(Code::invalid_argument, {.path = where.path, .record = from}, "{} cannot be put into itself",
             base::printable(from));
}

void require_whole_dataset(hid_t dataset, const ErrorPlace& where) {
  const Handle list = require(H5Dget_create_plist(dataset), H5Pclose, where, "its layout cannot be read");
  if (H5Pget_layout(list.get()) == H5D_CHUNKED) count_chunks(dataset, where);
}

// Damage that the library (1.10.8) meets while it frees something keeps the file open indefinitely, and crashes the
// program at exit: the object to be removed is read first.
void require_whole(hid_t file, const std::string& path, const std::string& file_path) {
  std::set<std::uint64_t> seen;
  std::vector<std::string> left{path};
  while (!left.empty()) {
    const ErrorPlace where{file_path, left.back()};
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

void remove_object(hid_t file, const std::string& path, const ErrorPlace& where) {
  require_something(file, path, where);
  require_whole(file, path, where.path);
  require(H5Ldelete(file, path.c_str(), H5P_DEFAULT), where, "it cannot be removed");
}

void rename_object(hid_t file, const std::string& from, const std::string& to, const ErrorPlace& where) {
  require_something(file, from, where);
  require_outside(from, to, where);
  require_free(file, {where.path, to});
  make_group_above(file, to, where);
  require(H5Lmove(file, from.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), where, "it cannot be renamed");
}

void copy_object(hid_t file, const std::string& from, const std::string& to, const ErrorPlace& where) {
  require_something(file, from, where);
  require_outside(from, to, where);
  require_free(file, {where.path, to});
  make_group_above(file, to, where);
  require(H5Ocopy(file, from.c_str(), file, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), where, "it cannot be copied");
}

void remove_attribute(hid_t file, const std::string& path, const std::string& name, const ErrorPlace& where) {
  const Handle object = require(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, where, "it cannot be opened");
  if (require(H5Aexists(object.get(), name.c_str()), where, "attributes cannot be looked up") == 0) {
    base::fail(Code::no_such_record, {.path = where.path, .record = path}, "{} has no attribute \"{}\"",
               base::printable(path), base::printable(name));
  }
  require(H5Adelete(object.get(), name.c_str()), where, "an attribute cannot be removed");
}

}  // namespace lq::hdf5
