// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of an HDF5 file as values: groups and their links, datasets, attributes. Call all under a Lock (Opened
// holds one); `Where` names the object for messages. Failures of the library are malformed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <limequat/options.hpp>

#include "format/findings.hpp"
#include "hdf5/tree/storage.hpp"
#include "hdf5/tree/values.hpp"

namespace lq::hdf5 {

enum class ObjectKind { group, dataset, type, other };
enum class LinkKind { hard, soft, external, other };

struct Link {
  std::string name;
  LinkKind kind = LinkKind::hard;
  std::uint64_t address = 0;  // hard links: address of the object in the file
  std::string target = {};    // soft and external links: the path they point to
  std::string file = {};      // external links: the file they point into, which is never opened
};

struct Object {
  ObjectKind kind = ObjectKind::other;
  std::uint64_t address = 0;     // of the header in the file
  std::uint64_t attributes = 0;  // their number
};

struct Dataset {
  Type type;
  bool is_committed = false;           // the type is an object of the file
  std::vector<std::uint64_t> extents;  // extents of the dataspace, slowest first; empty: a scalar
  bool is_null = false;                // a dataspace without elements
  Storage storage;

  std::uint64_t bytes() const noexcept;  // size of all elements; saturates
};

// "/" + name under "/", else group + "/" + name.
std::string child_path(const std::string& group, const std::string& name);

// Ordered by name. too_large: more than `most`.
std::vector<Link> links_of(const Opened& file, hid_t group, const ErrorPlace& where, std::uint64_t most);
Object object_of(const Opened& file, hid_t object, const ErrorPlace& where);
// The object of a member that is a hard link.
Object object_of(const Opened& file, hid_t group, const std::string& name, const ErrorPlace& where);
// Opens a member of a group that is a hard link, of whatever kind.
Handle open_member(hid_t group, const std::string& name, const ErrorPlace& where);
// Without the places of chunks (chunks_of).
Dataset describe_dataset(const Opened& file, hid_t dataset, const ErrorPlace& where);

// Ordered by name. An attribute of more than `most_bytes` has no value.
std::vector<std::string> attribute_names(hid_t object, const ErrorPlace& where);
Value read_attribute(const Opened& file, hid_t object, const std::string& name, const ErrorPlace& where,
                     std::uint64_t most_bytes);
// Readable attributes; unreadable ones are reported to `unreadable`.
Attributes read_attributes(const Opened& file, hid_t object, const ErrorPlace& where, std::uint64_t most_bytes,
                           const std::function<void(const std::string& name, const Error& error)>& unreadable);
// The whole of a small dataset, whatever its storage. too_large, unsupported.
Value read_value(const Opened& file, hid_t dataset, const ErrorPlace& where, std::uint64_t most_bytes);

// Follows all links except external ones (unsupported), each step in this code; soft links at most 32 times.
struct Found {
  std::string path;  // without soft links, "." and ".."
  Object object;
  Handle handle;
};
// `path` relative to `from`, which is absolute. Empty: the object does not exist.
std::optional<Found> find_object(const Opened& file, const std::string& path, const std::string& from = "/");

// All objects of a file, each once, group by group, without recursion. Links that are dangling, circular or external
// become findings.
struct Visited {
  std::string name;
  std::string path;
  ObjectKind kind = ObjectKind::other;
  std::uint64_t address = 0;
  const Handle* handle = nullptr;  // valid during the call
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  // Members of a group that are not groups, ordered by name; then the group itself, with all of its members.
  virtual void member(const Visited& member) = 0;
  virtual void group(const Visited& group) = 0;
};

// Throws only on failures to read.
void walk(const Opened& file, const Limits& limits, format::Findings& findings, Visitor& visitor);

// The record of an object, for findings.
Record record_at(const std::string& path, std::uint64_t address);

}  // namespace lq::hdf5
