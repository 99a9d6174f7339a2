// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is in an HDF5 file, as values: groups and their links, datasets, attributes. All of it under a Lock (Opened
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
  std::uint64_t address = 0;  // hard links: of the object, in the file
  std::string target = {};    // soft and external links: the path they point to
  std::string file = {};      // external links: the file they point into, which is never opened
};

struct Object {
  ObjectKind kind = ObjectKind::other;
  std::uint64_t address = 0;     // of the header, in the file
  std::uint64_t attributes = 0;  // their number
};

struct Dataset {
  Type type;
  bool is_committed = false;           // the type is an object of the file
  std::vector<std::uint64_t> extents;  // of the dataspace, slowest first; empty: a scalar
  bool is_null = false;                // a dataspace without elements
  Storage storage;

  std::uint64_t bytes() const noexcept;  // of all elements; saturates
};

// "/" + name under "/", else group + "/" + name.
std::string child_path(const std::string& group, const std::string& name);

// In order of name. too_large: more than `most`.
std::vector<Link> links_of(const Opened& file, hid_t group, const Where& where, std::uint64_t most);
Object object_of(const Opened& file, hid_t object, const Where& where);
// Of a member that a hard link leads to.
Object object_of(const Opened& file, hid_t group, const std::string& name, const Where& where);
// Opens a member of a group that is a hard link, of whatever kind.
Handle open_member(hid_t group, const std::string& name, const Where& where);
// Without the places of chunks (chunks_of).
Dataset describe_dataset(const Opened& file, hid_t dataset, const Where& where);

// In order of name. An attribute of more than `most_bytes` has no value.
std::vector<std::string> attribute_names(hid_t object, const Where& where);
Value read_attribute(const Opened& file, hid_t object, const std::string& name, const Where& where,
                     std::uint64_t most_bytes);
// Those that can be read; what cannot is told to `unreadable`.
Attributes read_attributes(const Opened& file, hid_t object, const Where& where, std::uint64_t most_bytes,
                           const std::function<void(const std::string& name, const Error& error)>& unreadable);
// All of a small dataset, whatever its storage. too_large, unsupported.
Value read_value(const Opened& file, hid_t dataset, const Where& where, std::uint64_t most_bytes);

// Follows links of every kind but external ones (unsupported), each step by our own hand; soft links at most 32 times.
struct Found {
  std::string path;  // without soft links, "." and ".."
  Object object;
  Handle handle;
};
// `path` relative to `from`, which is absolute. Nothing: there is no such object.
std::optional<Found> find_object(const Opened& file, const std::string& path, const std::string& from = "/");

// All objects of a file, each once, group by group, without recursion. Links that lead nowhere, in circles or elsewhere
// are findings.
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
  // Members of a group that are no groups, in order of name; then the group, with all of its own.
  virtual void member(const Visited& member) = 0;
  virtual void group(const Visited& group) = 0;
};

// Throws only failures to read.
void walk(const Opened& file, const Limits& limits, format::Findings& findings, Visitor& visitor);

// Of an object, for findings.
Record record_at(const std::string& path, std::uint64_t address);

}  // namespace lq::hdf5
