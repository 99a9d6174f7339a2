// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree/tree.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "hdf5/driver/versions.hpp"

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
void take_target(hid_t group, const RawLink& raw, const Where& where, Link& link) {
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

Link link_from(const Opened& file, hid_t group, const RawLink& raw, const Where& where) {
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

std::vector<Link> links_of(const Opened& file, hid_t group, const Where& where, std::uint64_t most) {
  RawLinks raw;
  require(list_links(group, most, raw), where, "its links cannot be read");
  if (!raw.is_all) {
    throw Error(Code::too_large,
                fmt::format("{}: {}: more than {} links; raise the limit of records", where.path,
                            base::printable(where.object), most),
                {.path = where.path, .record = where.object});
  }
  std::vector<Link> links;
  links.reserve(raw.links.size());
  for (const RawLink& link : raw.links) links.push_back(link_from(file, group, link, where));
  std::ranges::sort(links, {}, &Link::name);
  return links;
}

Object object_of(const Opened& file, hid_t object, const Where& where) {
  RawObject facts;
  require(object_facts(object, facts), where, "its header cannot be read");
  return object_from(file, facts);
}

Object object_of(const Opened& file, hid_t group, const std::string& name, const Where& where) {
  RawObject facts;
  require(object_facts(group, name.c_str(), facts), where, "its header cannot be read");
  return object_from(file, facts);
}

Handle open_member(hid_t group, const std::string& name, const Where& where) {
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
  return require(H5Gopen2(file.id(), "/", H5P_DEFAULT), H5Oclose, file.where("/"), "it cannot be opened");
}

// The link of that name in a group; nothing: there is none.
std::optional<Link> link_named(const Opened& file, hid_t group, const std::string& name, const Where& where) {
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
    const Where where = file.where(child_path(here(), step));
    const auto link = link_named(file, opened.back().get(), step, where);
    if (!link) return {};
    if (link->kind == LinkKind::hard) {
      file.require_sound(link->address);
      opened.push_back(open_member(opened.back().get(), step, where));
      taken.push_back(step);
      continue;
    }
    if (link->kind != LinkKind::soft) {
      throw Error(
          Code::unsupported,
          fmt::format("{}: {} is a link into another file{}{}, which is not opened", where.path,
                      base::printable(where.object), link->file.empty() ? "" : ", ", base::printable(link->file)),
          {.path = where.path, .record = where.object, .found = link->file});
    }
    if (++followed > most_soft_links) {
      throw Error(Code::malformed,
                  fmt::format("{}: {}: soft links lead on more than {} times, perhaps in a circle", where.path,
                              base::printable(where.object), most_soft_links),
                  {.path = where.path, .record = where.object});
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

}  // namespace lq::hdf5
