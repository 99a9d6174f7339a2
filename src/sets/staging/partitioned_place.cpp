// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/staging/partitioned_place.hpp"

#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "format/format.hpp"
#include "io/conversion.hpp"
#include "storage/window.hpp"

namespace lq::sets {
namespace {

// Literals of a file as the bytes from `begin` to `end`, with zeros between them.
std::string bytes_between(std::uint64_t begin, std::uint64_t end, std::span<const format::Literal> literals) {
  std::string bytes(static_cast<std::size_t>(end - begin), '\0');
  for (const format::Literal& literal : literals) {
    const std::uint64_t from = std::max(begin, literal.offset),
                        to = std::min(end, literal.offset + literal.bytes.size());
    if (from >= to) continue;
    std::memcpy(bytes.data() + (from - begin), literal.bytes.data() + (from - literal.offset),
                static_cast<std::size_t>(to - from));
  }
  return bytes;
}

format::FieldRequest request_of(const Catalog& catalog, const FieldEntry& entry, const format::Format& scidac) {
  format::FieldRequest request;
  request.name = entry.name;
  request.spec = entry.payload.spec;
  request.extents = entry.payload.extents;
  request.metadata = io::merge_texts(catalog, entry, true, scidac, {});
  request.checksum = entry.sums.checksum().has_value();
  request.slice_checksums = false;  // part files have none
  request.plaquette = entry.plaquette;
  request.link_trace = entry.link_trace;
  return request;
}

using storage::Subfiles;

}  // namespace

PartitionedFile Frame::around(PartitionedFile parts) const {
  if (is_empty()) return parts;
  FileArray array = parts.partition.array();
  array.begin += before.size();
  parts.bytes += before.size() + behind.size();
  parts.partition = Partition(array, parts.partition.cuts());
  return parts;
}

Frame frame_of(const PartitionedFile& file) {
  if (file.is_set || file.files.size() < 2) return {};
  const auto opened = storage::resolve(file.path).open_read(file.path);
  base::CachedSource source(*opened);
  const Catalog catalog = format::scan(source, {});
  // What is said of the field is written anew.
  if (const Finding* const finding = catalog.first_error()) {
    base::fail(finding->code == Code::ok ? Code::malformed : finding->code,
               {.path = file.path, .offset = finding->offset}, "{}; nothing was repartitioned", finding->message);
  }
  if (catalog.fields.size() != 1) {
    base::fail(Code::unsupported, file.path,
               "there are {} fields in these part files, of which one can be repartitioned; convert them "
               "to one file first (lq convert)",
               catalog.fields.size());
  }
  const FieldEntry& entry = catalog.fields.front();
  const format::Format& scidac = format::format_named("scidac");
  const format::Layout layout = scidac.for_fields().plan(request_of(catalog, entry, scidac));
  format::Digest digest;
  if (const auto checksum = entry.sums.checksum()) digest.sums.set_checksum(*checksum);
  std::vector<format::Literal> literals = layout.head;
  if (layout.tail) std::ranges::move(layout.tail(digest), std::back_inserter(literals));
  const std::uint64_t begin = layout.payload.front().origin(), end = begin + file.bytes;
  return {bytes_between(0, begin, literals), bytes_between(end, layout.end.front(), literals)};
}

storage::Identity FramedFile::identity() const {
  storage::Identity identity = inner().identity();
  identity.bytes = size();
  return identity;
}

std::size_t FramedFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size()) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size() - offset)));
  const std::uint64_t sites = frame_.before.size(), behind = sites + inner().size(), end = offset + buffer.size();
  const auto take = [&](const std::string& text, std::uint64_t begins) {
    const std::uint64_t from = std::max(offset, begins), to = std::min(end, begins + text.size());
    if (from < to) std::memcpy(buffer.data() + (from - offset), text.data() + (from - begins), to - from);
  };
  take(frame_.before, 0);
  take(frame_.behind, behind);
  const std::uint64_t from = std::max(offset, sites), to = std::min(end, behind);
  if (from >= to) return buffer.size();
  const auto wanted = static_cast<std::size_t>(to - from);
  const std::size_t got =
      inner().read_at(from - sites, buffer.subspan(static_cast<std::size_t>(from - offset), wanted));
  return got == wanted ? buffer.size() : static_cast<std::size_t>(from - offset) + got;
}

PartitionedPlace::PartitionedPlace(PartitionedFile source, Frame frame, PartitionedFile target, std::string description,
                                   std::string unfinished)
    : source_(std::move(source)),
      frame_(std::move(frame)),
      target_(std::move(target)),
      description_(std::move(description)),
      unfinished_(std::move(unfinished)) {}

std::unique_ptr<storage::File> PartitionedPlace::open(const std::string& path, bool writes) {
  if (is_new_set(path)) {
    PartitionedFile set = target_;
    set.path = path;
    return std::make_unique<storage::Window>(std::make_shared<storage::Subfiles>(std::move(set), writes));
  }
  if (path == source_.path && !writes && (source_.is_set || source_.files.size() > 1)) {
    auto sites = std::make_unique<storage::Window>(std::make_shared<storage::Subfiles>(source_, false));
    if (frame_.is_empty()) return sites;
    return std::make_unique<FramedFile>(std::move(sites), frame_);
  }
  if (path == target_.path && target_.is_set && !writes) {  // it exists already
    return std::make_unique<storage::Window>(std::make_shared<storage::Subfiles>(partitioned_file(path), false));
  }
  storage::Transport& place = storage::resolve(path);
  return writes ? place.open_write(path) : place.open_read(path);
}

std::unique_ptr<storage::File> PartitionedPlace::open_read(const std::string& path) { return open(path, false); }
std::unique_ptr<storage::File> PartitionedPlace::open_write(const std::string& path) { return open(path, true); }

// The description first, so that subfiles can be found in any case.
std::unique_ptr<storage::File> PartitionedPlace::create(const std::string& path, const storage::Creation& creation) {
  auto file = storage::resolve(path).create(path, creation);
  if (!is_new_set(path)) return file;
  file->write_at(0, base::as_bytes(description_));
  file->sync();
  file->close();
  const Subfiles sizes(target_, true);
  for (std::size_t k = 0; k < target_.files.size(); ++k) {
    const std::string& name = target_.files[k].path;
    const auto subfile = storage::resolve(name).create(name, creation);
    subfile->resize(sizes.bytes(k));
    subfile->close();
  }
  return open(path, true);
}

void PartitionedPlace::rename(const std::string& from, const std::string& to) {
  storage::resolve(from).rename(from, to);
}

void PartitionedPlace::publish(const std::string& from, const std::string& to) {
  storage::resolve(from).publish(from, to);
}

void PartitionedPlace::remove(const std::string& path) {
  if (path == unfinished_) {
    try {
      const PartitionedFile rest = partitioned_file(path);
      if (rest.is_set) storage::remove_subfiles(rest, target_.path);
    } catch (const Error&) {
      // An incomplete description was written before any subfile.
    }
  }
  storage::resolve(path).remove(path);
}

void PartitionedPlace::sync_directory(const std::string& path_of_file) {
  std::map<std::string, std::string> folders;  // and a file in each
  for (const PartitionedFile::Subfile& subfile : target_.files) {
    folders.emplace(base::directory_of(subfile.path), subfile.path);
  }
  folders.emplace(base::directory_of(path_of_file), path_of_file);
  for (const auto& [folder, file] : folders) storage::resolve(file).sync_directory(file);
}

storage::PathKind PartitionedPlace::kind(const std::string& path) { return storage::resolve(path).kind(path); }
storage::Identity PartitionedPlace::identity(const std::string& path) { return storage::resolve(path).identity(path); }
storage::StorageTraits PartitionedPlace::unit(const std::string& path) {
  return target_.is_set ? storage::unit_of(target_) : storage::resolve(path).unit(path);
}

// Of all folders together: an estimate, because some may share a file system.
std::optional<std::uint64_t> PartitionedPlace::free_space(const std::string& path) {
  if (!target_.is_set || path != target_.path) return storage::resolve(path).free_space(path);
  std::map<std::string, std::uint64_t> folders;
  for (const PartitionedFile::Subfile& subfile : target_.files) {
    const auto space = storage::resolve(subfile.path).free_space(subfile.path);
    if (!space) return {};
    folders.emplace(base::directory_of(subfile.path), *space);
  }
  std::uint64_t all = 0;
  for (const auto& [folder, space] : folders) all += std::min(space, ~all);
  return all;
}

template <class Give>
void PartitionedPlace::for_each_file(const std::string& from, const std::string& to, const Give& give) const {
  const storage::Transport& giving = storage::resolve(from);
  const auto give_one = [&](const std::string& name) {
    storage::Transport& place = storage::resolve(name);
    if (&place == &giving) give(place, name);
  };
  give_one(to);
  if (!is_new_set(to)) return;
  for (const PartitionedFile::Subfile& subfile : target_.files) give_one(subfile.path);
}

void PartitionedPlace::copy_permissions(const std::string& from, const std::string& to) {
  for_each_file(from, to,
                [&](storage::Transport& place, const std::string& name) { place.copy_permissions(from, name); });
}

void PartitionedPlace::give_permissions(const std::string& from, const std::string& to) {
  for_each_file(from, to,
                [&](storage::Transport& place, const std::string& name) { place.give_permissions(from, name); });
}

void PartitionedPlace::set_modified(const std::string& path, std::int64_t nanoseconds) {
  storage::resolve(path).set_modified(path, nanoseconds);
  if (!is_new_set(path)) return;
  for (const PartitionedFile::Subfile& subfile : target_.files) {
    storage::resolve(subfile.path).set_modified(subfile.path, nanoseconds);
  }
}

}  // namespace lq::sets
