// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "hdf5/contents.hpp"
#include "hdf5/global_heap.hpp"
#include "hdf5/object_header.hpp"
#include "hdf5/versions.hpp"

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

// Rank and extents; nothing: there are no elements.
std::optional<std::vector<std::uint64_t>> extents_of(hid_t space, const Where& where) {
  switch (H5Sget_simple_extent_type(space)) {
    case H5S_NULL:
      return {};
    case H5S_SCALAR:
      return std::vector<std::uint64_t>();
    case H5S_SIMPLE:
      break;
    default:
      throw_failure(where, "a dataspace cannot be read");
  }
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank =
      require(H5Sget_simple_extent_dims(space, extents.data(), nullptr), where, "a dataspace cannot be read");
  return std::vector<std::uint64_t>(extents.begin(), extents.begin() + rank);
}

std::uint64_t product(const std::vector<std::uint64_t>& extents, std::uint64_t bytes) noexcept {
  if (std::ranges::find(extents, 0U) != extents.end()) return 0;
  for (const std::uint64_t extent : extents) bytes = base::checked_multiply(bytes, extent).value_or(UINT64_MAX);
  return bytes;
}

// Elements of the type lie where they are found, without references to other places of the file.
bool lies_in_place(const Type& type) {
  if (type.kind == TypeClass::list || type.kind == TypeClass::reference || type.is_variable) return false;
  return std::ranges::all_of(type.parts, lies_in_place);
}

// Type and shape, and how many bytes to read for them; nothing to read: elements that are nowhere or elsewhere.
struct Shape {
  Value value;
  std::uint64_t element_bytes = 0;
  std::uint64_t bytes = 0;
  bool are_texts = false;  // of variable length
};

Shape shape_of(const Opened& file, hid_t type, hid_t space, const Where& where, std::uint64_t most_bytes) {
  Shape shape;
  Value& value = shape.value;
  value.type = describe_type(type, where);
  auto extents = extents_of(space, where);
  value.is_null = !extents;
  if (extents) value.extents = std::move(*extents);
  shape.are_texts = value.type.kind == TypeClass::string && value.type.is_variable;
  if (value.is_null || (!lies_in_place(value.type) && !shape.are_texts)) return shape;
  shape.element_bytes = shape.are_texts ? bytes_of_reference(file.superblock()) : value.type.bytes;
  shape.bytes = product(value.extents, shape.element_bytes);
  if (shape.bytes > most_bytes) {
    throw Error(Code::too_large,
                fmt::format("{}: {}: {} bytes are more than {}", where.path, base::printable(where.object), shape.bytes,
                            most_bytes),
                {.path = where.path, .record = where.object});
  }
  return shape;
}

Value value_of(const Opened& file, Shape shape, base::Bytes raw, std::uint64_t most_bytes) {
  Value& value = shape.value;
  if (shape.element_bytes == 0) return std::move(value);
  if (!shape.are_texts) return decode(std::move(value.type), std::move(value.extents), raw);
  value.elements = read_texts(file.source(), file.superblock(), raw, most_bytes);
  return std::move(value);
}

extern "C" herr_t lq_hdf5_take_attribute(hid_t, const char* name, const H5A_info_t*, void* data) {
  try {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  } catch (...) {
    keep_driver_failure();
    return -1;
  }
}

}  // namespace

std::uint64_t Dataset::bytes() const noexcept { return is_null ? 0 : product(extents, type.bytes); }

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

Dataset describe_dataset(const Opened& file, hid_t dataset, const Where& where) {
  Dataset made;
  const Handle type = require(H5Dget_type(dataset), H5Tclose, where, "its type cannot be read");
  made.type = describe_type(type.get(), where);
  made.is_committed = H5Tcommitted(type.get()) > 0;
  const Handle space = require(H5Dget_space(dataset), H5Sclose, where, "its dataspace cannot be read");
  auto extents = extents_of(space.get(), where);
  made.is_null = !extents;
  if (extents) made.extents = std::move(*extents);
  made.storage = describe_storage(file, dataset, where);
  return made;
}

std::vector<std::string> attribute_names(hid_t object, const Where& where) {
  std::vector<std::string> names;
  hsize_t at = 0;
  require(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &at, lq_hdf5_take_attribute, &names), where,
          "its attributes cannot be listed");
  std::ranges::sort(names);
  return names;
}

Value read_attribute(const Opened& file, hid_t object, const std::string& name, const Where& where,
                     std::uint64_t most_bytes) {
  const Handle attribute =
      require(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, where, "an attribute cannot be opened");
  const Handle type = require(H5Aget_type(attribute.get()), H5Tclose, where, "an attribute has no type");
  const Handle space = require(H5Aget_space(attribute.get()), H5Sclose, where, "an attribute has no dataspace");
  Shape shape = shape_of(file, type.get(), space.get(), where, most_bytes);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.bytes));
  if (shape.are_texts && !raw.empty()) {
    const std::uint64_t address = object_of(file, object, where).address - file.superblock().offset;
    const auto place = find_attribute(file.source(), file.superblock(), address, name);
    if (!place || place->bytes < raw.size()) {
      throw Error(Code::unsupported,
                  fmt::format("{}: {}: its attribute {} is a text of variable length among many attributes, which is "
                              "not read",
                              where.path, base::printable(where.object), base::printable(name)),
                  {.path = where.path, .record = where.object});
    }
    file.source().read_at(place->offset, raw);
  } else if (!raw.empty()) {
    require(H5Aread(attribute.get(), type.get(), raw.data()), where, "the value of an attribute cannot be read");
  }
  return value_of(file, std::move(shape), raw, most_bytes);
}

Attributes read_attributes(const Opened& file, hid_t object, const Where& where, std::uint64_t most_bytes,
                           const std::function<void(const std::string& name, const Error& error)>& unreadable) {
  Attributes attributes;
  for (const std::string& name : attribute_names(object, where)) {
    try {
      attributes.emplace_back(name, read_attribute(file, object, name, where, most_bytes));
    } catch (const Error& error) {
      if (error.code() != Code::malformed && error.code() != Code::too_large && error.code() != Code::unsupported) {
        throw;
      }
      unreadable(name, error);
    }
  }
  return attributes;
}

Value read_value(const Opened& file, hid_t dataset, const Where& where, std::uint64_t most_bytes) {
  const Handle type = require(H5Dget_type(dataset), H5Tclose, where, "its type cannot be read");
  const Handle space = require(H5Dget_space(dataset), H5Sclose, where, "its dataspace cannot be read");
  Shape shape = shape_of(file, type.get(), space.get(), where, most_bytes);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.bytes));
  if (!raw.empty()) {
    DatasetContents(file, dataset, shape.value.extents, shape.element_bytes, where, most_bytes).read_at(0, raw);
  }
  return value_of(file, std::move(shape), raw, most_bytes);
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
