// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree/walk.hpp"

#include <unordered_set>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::size_t most_depth = 128;

// Whether an error tells of the file, not of the machine.
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
      Handle handle =
          require(H5Gopen2(file_.id(), "/", H5P_DEFAULT), H5Oclose, file_.where(root), "it cannot be opened");
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
    std::vector<Link> groups;  // to be entered, last one first
  };

  // What the file has wrong becomes a finding about that object.
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
      findings_.note("hdf5-hard-link", record_at(path, link.address), "it is another name of an object met before");
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
        throw Error(Code::too_large, fmt::format("{}: {}: groups are nested more than {} deep", file_.path(),
                                                 base::printable(path), most_depth));
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
