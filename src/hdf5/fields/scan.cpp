// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/hdf5_format.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "format/record_texts.hpp"
#include "hdf5/layouts/folder.hpp"
#include "hdf5/tree/tree.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::size_t rank_of_lattices = 4;
constexpr std::uint64_t least_unused = 1 << 20;  // minimum number of bytes for a note

// Names of the committed types of QDP++.
bool is_name_of_qdp(std::string_view name) {
  return name.starts_with(".ColorMatrix") || name.starts_with(".Complex") || name.starts_with(".Propagator");
}

class Scan final : public Visitor, public FieldCollector {
 public:
  Scan(base::ByteSource& source, const Limits& limits) : source_(source), limits_(limits) {
    catalog_.path = source.path();
    catalog_.format = "hdf5";
    catalog_.file_bytes = source.size();
  }

  Catalog run() {
    try {
      Opened file(source_);
      file_ = &file;
      if (file.superblock().is_open) {
        findings_.warning("hdf5-not-closed", record_at("superblock", file.superblock().offset),
                          "the file is open for writing, or its program ended without closing it");
      }
      note_trailing(file.superblock());
      walk(file, limits_, findings_, *this);
      note_unused(file);
    } catch (const Error& error) {
      if (error.code() != Code::malformed && error.code() != Code::truncated && error.code() != Code::unsupported) {
        throw;
      }
      if (error.code() == Code::truncated) catalog_.complete = false;
      Finding finding{.severity = Severity::error,
                      .code = error.code(),
                      .rule = "hdf5-file",
                      .message = error.what(),
                      .offset = error.facts().offset,
                      .expected = error.facts().expected,
                      .found = error.facts().found};
      findings_.add(std::move(finding));
    }
    file_ = nullptr;
    format::state_observables(catalog_);
    catalog_.findings = findings_.take();
    return std::move(catalog_);
  }

 private:
  // `lacks_some`: set if some could not be read.
  Attributes attributes_of(const Visited& object, bool& lacks_some) {
    return read_attributes(
        *file_, object.handle->get(), file_->where(object.path), limits_.text_bytes,
        [&](const std::string& name, const Error& error) {
          lacks_some = true;
          findings_.warning("hdf5-attribute", record_at(object.path, object.address),
                            fmt::format("its attribute {} cannot be read: {}", base::printable(name), error.what()));
        });
  }

  void member(const Visited& object) override {
    if (object.kind == ObjectKind::type) return take_type(object);
    if (object.kind != ObjectKind::dataset) return;
    Member member;
    member.name = object.name;
    member.path = object.path;
    member.address = object.address;
    member.data = describe_dataset(*file_, object.handle->get(), file_->where(object.path));
    stored_ += H5Dget_storage_size(object.handle->get());
    if (numbers_of(member.data)) member.attributes = attributes_of(object, member.lacks_attributes);
    add_record(member);
    folder_.members.push_back(std::move(member));
  }

  void note_trailing(const Superblock& superblock) {
    const std::uint64_t end = whole_bytes(superblock);
    if (superblock.is_open || source_.size() <= end) return;
    Record behind = record_at("/", superblock.offset);
    behind.offset = end;
    findings_.warning(
        "hdf5-trailing-bytes", behind,
        fmt::format("{} bytes follow byte {}, where the file ends by its superblock; no program reads them",
                    source_.size() - end, end));
  }

  // Space of removed and replaced objects is not reused; other gaps are small.
  void note_unused(const Opened& file) {
    const std::uint64_t bytes = file.bytes(), unused = bytes - std::min(stored_, bytes);
    if (unused < least_unused || unused < bytes / 8) return;
    findings_.note("hdf5-unused-room", record_at("/", file.superblock().offset),
                   fmt::format("{} of the {} bytes of the file hold no data, perhaps left by removed objects; h5repack "
                               "writes a file without them",
                               unused, bytes));
  }

  void take_type(const Visited& object) {
    if (object.path != "/" + object.name || !is_name_of_qdp(object.name)) return;
    const Type type = describe_type(object.handle->get(), file_->where(object.path));
    if (strip(type).base->order == ByteOrder::little) is_of_qdp_ = true;
  }

  void add_record(const Member& member) {
    const Storage& storage = member.data.storage;
    Record record = record_at(member.path, member.address);
    record.data_length = member.data.bytes();
    record.number = catalog_.records.size() + 1;
    record.offset = storage.offset;
    catalog_.records.push_back(std::move(record));
  }

  void group(const Visited& object) override {
    folder_.path = object.path;
    bool lacks_some = false;  // findings were added for those
    folder_.attributes = attributes_of(object, lacks_some);
    folder_.is_of_qdp = is_of_qdp_;
    if (object.path == "/") catalog_.metadata = metadata_of(folder_.attributes, std::array{native::file_marker});
    group_ = object.handle->get();
    for (const auto find : {find_native, find_pyquda, find_qlua, find_qdp, find_lyncs}) find(folder_, *this);
    for (const Member& member : folder_.members) {
      if (!member.is_taken) note_unknown(member);
    }
    folder_ = {};
  }

  // It may be a lattice, but does not state the order of its sites.
  void note_unknown(const Member& member) {
    const auto numbers = numbers_of(member.data);
    if (!numbers || numbers->space_rank < rank_of_lattices) return;
    note("hdf5-no-field", member,
         fmt::format("{} numbers of type {}: the file does not state which dimensions form a lattice and how its sites "
                     "are ordered, so it is a record, not a field",
                     fmt::join(member.data.extents, "x"), to_string(member.data.type)));
  }

  void field(FoundField found) override {
    try {
      FieldEntry entry;
      entry.payload = place(*file_, group_, found, limits_);
      entry.name = found.path == "/" ? found.path : found.path.substr(1);
      entry.record = record_of(found, entry.payload);
      entry.sums = std::move(found.sums);
      entry.metadata = std::move(found.metadata);
      catalog_.fields.push_back(std::move(entry));
    } catch (const Error& error) {
      const Record& record = record_at(found.path, found.arrays.front()->address);
      switch (error.code()) {
        case Code::unsupported:
        case Code::too_large:
          return findings_.warning("hdf5-field", record, error.what());
        case Code::malformed:
          return findings_.error(error.code(), "hdf5-field", record, error.what());
        default:
          throw;
      }
    }
  }

  // The record of the dataset; a record for the group if there are several.
  std::uint64_t record_of(const FoundField& found, const Payload& payload) {
    auto record = std::ranges::find(catalog_.records, found.arrays.front()->path, &Record::type);
    if (found.arrays.size() > 1) {
      Record made = record_at(found.path, found.arrays.front()->address);
      made.data_length = payload.length;
      made.number = catalog_.records.size() + 1;
      record = catalog_.records.insert(catalog_.records.end(), std::move(made));
    }
    if (!payload.tiles.empty()) {
      record->pieces = payload.tiles.size();
      record->offset = payload.tiles.front().offset;
    }
    return static_cast<std::uint64_t>(record - catalog_.records.begin());
  }

  void warning(const char* rule, const Member& member, const std::string& message) override {
    findings_.warning(rule, record_at(member.path, member.address), message);
  }
  void note(const char* rule, const Member& member, const std::string& message) override {
    findings_.note(rule, record_at(member.path, member.address), message);
  }

  base::ByteSource& source_;
  const Limits& limits_;
  const Opened* file_ = nullptr;
  format::Findings findings_;
  Catalog catalog_;
  Folder folder_;
  hid_t group_ = H5I_INVALID_HID;
  bool is_of_qdp_ = false;
  std::uint64_t stored_ = 0;  // bytes used by datasets in the file
};

}  // namespace

Catalog scan(base::ByteSource& file, const Limits& limits) { return Scan(file, limits).run(); }

}  // namespace lq::hdf5
