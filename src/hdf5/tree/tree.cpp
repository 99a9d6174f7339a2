// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree/tree.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {
namespace {

constexpr int most_soft_links = 32;

ObjectKind kind_of(H5O_type_t type) {
  switch (type) {
    case H5O_TYPE_GROUP:
      return ObjectKind::group;
    case H5O_TYPE_DATASET:
      return ObjectKind::dataset;
    case H5O_TYPE_NAMED_DATATYPE:
      return ObjectKind::type;
    default:
      return ObjectKind::other;
  }
}

Object object_from(const Opened& file, const RawObject& facts) {
  return {kind_of(facts.type), facts.address + file.superblock().offset, facts.attributes};
}

// The target of a soft link, or file and path of an external one.
void take_target(hid_t group, const RawLink& raw, const ErrorPlace& where, Link& link) {
  std::vector<char> value(raw.value_bytes + 1);
  require(H5Lget_val(group, raw.name.c_str(), value.data(), raw.value_bytes, H5P_DEFAULT), where,
          "a link cannot be read");
  value.back() = '\0';
  if (link.kind == LinkKind::soft) {
    link.target = value.data();
    return;
  }
  unsigned flags = 0;
  const char *file = nullptr, *path = nullptr;
  if (H5Lunpack_elink_val(value.data(), raw.value_bytes, &flags, &file, &path) < 0) {
    throw_failure(where, "an external link cannot be read");
  }
  link.file = file;
  link.target = path;
}

Link link_from(const Opened& file, hid_t group, const RawLink& raw, const ErrorPlace& where) {
  Link link{.name = raw.name};
  switch (raw.type) {
    case H5L_TYPE_HARD:
      link.address = raw.address + file.superblock().offset;
      return link;
    case H5L_TYPE_SOFT:
      link.kind = LinkKind::soft;
      break;
    case H5L_TYPE_EXTERNAL:
      link.kind = LinkKind::external;
      break;
    default:
      link.kind = LinkKind::other;
      return link;
  }
  take_target(group, raw, where, link);
  return link;
}

}  // namespace

std::string child_path(const std::string& group, const std::string& name) {
  return group == "/" ? "/" + name : group + "/" + name;
}

std::vector<Link> links_of(const Opened& file, hid_t group, const ErrorPlace& where, std::uint64_t most) {
  RawLinks raw;
  require(list_links(group, most, raw), where, "its links cannot be read");
  if (!raw.is_all) {
    base::fail(Code::too_large, {.path = where.path, .record = where.object},
               "{}: more than {} links; raise the limit of records", base::printable(where.object), most);
  }
  std::vector<Link> links;
  links.reserve(raw.links.size());
  for (const RawLink& link : raw.links) links.push_back(link_from(file, group, link, where));
  std::ranges::sort(links, {}, &Link::name);
  return links;
}

Object object_of(const Opened& file, hid_t object, const ErrorPlace& where) {
  RawObject facts;
  require(object_facts(object, facts), where, "its header cannot be read");
  return object_from(file, facts);
}

Object object_of(const Opened& file, hid_t group, const std::string& name, const ErrorPlace& where) {
  RawObject facts;
  require(object_facts(group, name.c_str(), facts), where, "its header cannot be read");
  return object_from(file, facts);
}

Handle open_member(hid_t group, const std::string& name, const ErrorPlace& where) {
  return require(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, where, "it cannot be opened");
}

namespace {

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) steps.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return steps;
}

Handle open_root(const Opened& file) {
  const ErrorPlace where = file.where("/");
  return require(H5Gopen2(file.id(), "/", H5P_DEFAULT), H5Oclose, where, "it cannot be opened");
}

// The link of that name in a group; empty: absent.
std::optional<Link> link_named(const Opened& file, hid_t group, const std::string& name, const ErrorPlace& where) {
  if (H5Lexists(group, name.c_str(), H5P_DEFAULT) <= 0) return {};
  RawLink raw;
  require(link_facts(group, name.c_str(), raw), where, "a link cannot be read");
  return link_from(file, group, raw, where);
}

}  // namespace

std::optional<Found> find_object(const Opened& file, const std::string& path, const std::string& from) {
  std::vector<std::string> left = steps_of(path.starts_with('/') ? path : from + "/" + path);
  std::ranges::reverse(left);
  std::vector<std::string> taken;
  std::vector<Handle> opened;
  opened.push_back(open_root(file));
  int followed = 0;
  const auto here = [&] {
    std::string at;
    for (const std::string& step : taken) at += "/" + step;
    return at.empty() ? std::string("/") : at;
  };
  while (!left.empty()) {
    const std::string step = std::move(left.back());
    left.pop_back();
    if (step == ".") continue;
    if (step == "..") {
      if (!taken.empty()) {
        taken.pop_back();
        opened.pop_back();
      }
      continue;
    }
    if (H5Iget_type(opened.back().get()) != H5I_GROUP) return {};
    const ErrorPlace where = file.where(child_path(here(), step));
    const auto link = link_named(file, opened.back().get(), step, where);
    if (!link) return {};
    if (link->kind == LinkKind::hard) {
      file.require_sound(link->address);
      opened.push_back(open_member(opened.back().get(), step, where));
      taken.push_back(step);
      continue;
    }
    if (link->kind != LinkKind::soft) {
      base::fail(Code::unsupported, {.path = where.path, .record = where.object, .found = link->file},
                 "{} is a link into another file{}{}, which is not opened", base::printable(where.object),
                 link->file.empty() ? "" : ", ", base::printable(link->file));
    }
    if (++followed > most_soft_links) {
      base::fail(Code::malformed, {.path = where.path, .record = where.object},
                 "{}: more than {} soft links in sequence, perhaps in a circle", base::printable(where.object),
                 most_soft_links);
    }
    if (link->target.starts_with('/')) {
      taken.clear();
      opened.resize(1);
    }
    std::vector<std::string> more = steps_of(link->target);
    left.insert(left.end(), more.rbegin(), more.rend());
  }
  Found found;
  found.path = here();
  found.object = object_of(file, opened.back().get(), file.where(found.path));
  found.handle = std::move(opened.back());
  return found;
}

namespace {

constexpr std::size_t most_depth = 128;

// True if an error is about the file, not the machine.
bool is_of_file(const Error& error) {
  switch (error.code()) {
    case Code::malformed:
    case Code::truncated:
    case Code::too_large:
    case Code::unsupported:
      return true;
    default:
      return false;
  }
}

class Walker {
 public:
  Walker(const Opened& file, const Limits& limits, format::Findings& findings, Visitor& visitor)
      : file_(file), limits_(limits), findings_(findings), visitor_(visitor) {}

  void run() {
    const std::string root = "/";
    attempt(root, file_.superblock().root + file_.superblock().offset, [&] {
      Handle handle = open_root(file_);
      const Object object = object_of(file_, handle.get(), file_.where(root));
      seen_.insert(object.address);
      enter({.name = root, .path = root, .kind = ObjectKind::group, .address = object.address}, std::move(handle));
    });
    while (!open_.empty() && !is_full_) step();
  }

 private:
  struct Level {
    std::string path;
    Handle handle;
    std::vector<Link> groups;  // to be visited, last one first
  };

  // Errors of the file become findings about that object.
  template <class Work>
  void attempt(const std::string& path, std::uint64_t address, Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      if (!is_of_file(error)) throw;
      findings_.error(error.code(), "hdf5-object", record_at(path, address), error.what(), error.facts().expected,
                      error.facts().found);
    }
  }

  void enter(Visited group, Handle handle) {
    Level level{group.path, std::move(handle), {}};
    std::vector<Link> links =
        links_of(file_, level.handle.get(), file_.where(group.path), limits_.records - std::min(limits_.records, met_));
    for (Link& link : links) {
      if (is_full_) return;
      take(level, std::move(link));
    }
    std::ranges::reverse(level.groups);
    group.handle = &level.handle;
    visitor_.group(group);
    open_.push_back(std::move(level));
  }

  void take(Level& level, Link link) {
    const std::string path = child_path(level.path, link.name);
    if (link.kind != LinkKind::hard) return note_link(level, path, link);
    if (!seen_.insert(link.address).second) {
      findings_.note("hdf5-hard-link", record_at(path, link.address),
                     "it is another name of an object that was already visited");
      return;
    }
    if (++met_ > limits_.records) {
      is_full_ = true;
      findings_.error(Code::too_large, "hdf5-too-many-objects", record_at(path, link.address),
                      fmt::format("the file has more than {} objects; raise the limit of records", limits_.records));
      return;
    }
    attempt(path, link.address, [&] {
      file_.require_sound(link.address);
      const Handle handle = open_member(level.handle.get(), link.name, file_.where(path));
      Visited member{.name = link.name, .path = path, .address = link.address, .handle = &handle};
      switch (H5Iget_type(handle.get())) {
        case H5I_GROUP:
          level.groups.push_back(std::move(link));
          return;
        case H5I_DATASET:
          member.kind = ObjectKind::dataset;
          break;
        case H5I_DATATYPE:
          member.kind = ObjectKind::type;
          break;
        default:
          break;
      }
      visitor_.member(member);
    });
  }

  void note_link(const Level& level, const std::string& path, const Link& link) {
    const Record record = record_at(path, 0);
    if (link.kind == LinkKind::external) {
      findings_.note("hdf5-external-link", record,
                     fmt::format("it leads to {} in the file {}, which is not opened", base::printable(link.target),
                                 base::printable(link.file)));
      return;
    }
    if (link.kind == LinkKind::other) {
      findings_.note("hdf5-link", record, "it is a link of a kind that another program defined");
      return;
    }
    try {
      if (find_object(file_, link.target, level.path)) return;
      findings_.warning("hdf5-soft-link", record,
                        fmt::format("it leads to {}, which does not exist", base::printable(link.target)));
    } catch (const Error& error) {
      if (!is_of_file(error)) throw;
      findings_.warning("hdf5-soft-link", record, error.what());
    }
  }

  void step() {
    Level& top = open_.back();
    if (top.groups.empty()) {
      open_.pop_back();
      return;
    }
    const Link link = std::move(top.groups.back());
    top.groups.pop_back();
    const std::string path = child_path(top.path, link.name);
    attempt(path, link.address, [&] {
      if (open_.size() >= most_depth) {
        base::fail(Code::too_large, {}, "{}: {}: groups are nested more than {} deep", file_.path(),
                   base::printable(path), most_depth);
      }
      Handle handle = open_member(top.handle.get(), link.name, file_.where(path));
      enter({.name = link.name, .path = path, .kind = ObjectKind::group, .address = link.address}, std::move(handle));
    });
  }

  const Opened& file_;
  const Limits& limits_;
  format::Findings& findings_;
  Visitor& visitor_;
  std::vector<Level> open_;
  std::unordered_set<std::uint64_t> seen_;
  std::uint64_t met_ = 0;
  bool is_full_ = false;
};

}  // namespace

void walk(const Opened& file, const Limits& limits, format::Findings& findings, Visitor& visitor) {
  Walker(file, limits, findings, visitor).run();
}

Record record_at(const std::string& path, std::uint64_t address) {
  Record record;
  record.type = path;
  record.header_offset = address;
  return record;
}

}  // namespace lq::hdf5
