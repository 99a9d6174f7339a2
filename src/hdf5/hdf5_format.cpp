// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/hdf5_format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "format/component.hpp"
#include "hdf5/driver/driver.hpp"
#include "hdf5/filters/filters.hpp"
#include "hdf5/headers/structures.hpp"
#include "hdf5/layouts/layout_writer.hpp"
#include "hdf5/making/make.hpp"
#include "hdf5/tree/storage.hpp"

namespace lq::hdf5 {
namespace {

// By its other attributes.
const LayoutWriter& layout_of(hid_t object) {
  const bool is_qlua = H5Iget_type(object) == H5I_GROUP || H5Aexists(object, ".kind") > 0;
  if (is_qlua) return qlua_writer();
  return H5Aexists(object, "limequat_layout") > 0 ? native_writer() : qdp_writer();
}

// Changes made through the library become changes of the file.
void edit(base::EditedSource& file, base::FunctionRef<void(hid_t)> change) {
  const Lock lock;
  Image image(file);
  Handle opened = open_in(image, Access::write);
  change(opened.get());
  close_in(std::move(opened), image);
  const auto changes = image.changes();
  if (image.size() > file.size()) file.append_zeros(image.size() - file.size());
  for (const auto& [offset, bytes] : changes) file.replace(offset, bytes.size(), bytes);
}

// The offset of the only occurrence of a text; empty: there is none, or several.
std::optional<std::uint64_t> only_place(base::ByteSource& file, std::string_view text) {
  std::optional<std::uint64_t> found;
  std::string block((std::size_t{1} << 20) + text.size() - 1, '\0');
  for (std::uint64_t at = 0; at < file.size(); at += block.size() - text.size() + 1) {
    const std::size_t held = file.read_at(at, std::as_writable_bytes(std::span(block)));
    const std::string_view bytes = std::string_view(block).substr(0, held);
    for (std::size_t i = bytes.find(text); i != std::string_view::npos; i = bytes.find(text, i + 1)) {
      if (found) return {};
      found = at + i;
    }
  }
  return found;
}

// A wrong checksum of a field becomes the right one where it is, so that the file gets back its bytes: the HDF5 library
// would store it elsewhere. False: that is not possible.
bool correct_in_place(base::EditedSource& file, const FieldEntry& entry, const Sums& sums) {
  const auto stated = entry.sums.checksum(), right = sums.checksum();
  if (!stated || !right || *stated == *right) return false;
  const auto at = only_place(file, to_string(*stated));
  if (!at) return false;
  const std::string text = to_string(*right);
  base::EditedSource tried(file);
  tried.replace(*at, text.size(), base::as_bytes(text));
  try {
    const Catalog now = scan(tried, {});
    const auto field = std::ranges::find(now.fields, entry.name, &FieldEntry::name);
    if (field == now.fields.end() || field->sums.checksum() != right) return false;
  } catch (const Error&) {
    return false;
  }
  file.replace(*at, text.size(), base::as_bytes(text));
  return true;
}

}  // namespace

void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const format::Digest& sums) {
  if (sums.sums.all.empty()) {
    return state_unproven(file, "since a repair: a field had no checksum that could be read, and the file was damaged");
  }
  if (correct_in_place(file, entry, sums.sums)) return;
  const ErrorPlace where{catalog.path, absolute_path(entry.name)};
  edit(file, [&](hid_t opened) {
    const Handle object = require(H5Oopen(opened, where.object.c_str(), H5P_DEFAULT), H5Oclose, where, "is not there");
    const LayoutWriter& layout = layout_of(object.get());
    format::FieldRequest request;
    request.name = entry.name;
    request.spec = entry.payload.spec;
    request.extents = entry.payload.extents;
    request.slice_checksums = sums.sums.find({SumKind::scidac, SumOf::slices}) != nullptr;
    const FieldDatasets plan = layout.datasets(request);
    std::vector<Handle> datasets;
    for (const DatasetPlan& one : plan.datasets) {
      datasets.push_back(require(H5Dopen2(opened, one.path.c_str(), H5P_DEFAULT), H5Dclose, where, "is not a dataset"));
    }
    layout.put_sums(datasets, plan, {request, sums, {}});
  });
}

void state_unproven(base::EditedSource& file, const std::string& why) {
  const ErrorPlace where{file.path(), "/"};
  edit(file, [&](hid_t opened) {
    const Handle root = require(H5Oopen(opened, "/", H5P_DEFAULT), H5Oclose, where, "is not there");
    const std::string name(format::unproven_text);
    if (H5Aexists(root.get(), name.c_str()) <= 0) put_text(root.get(), name, why, where);
  });
}

namespace {

// Texts that describe the order of numbers in a file of another format; they are meaningless here.
constexpr std::array<std::string_view, 6> of_other_files{
    "ildg-format",     "scidac-private-file-xml", "scidac-private-record-xml",
    "scidac-checksum", "limequat-slices",         "limequat-description"};
// Texts that repeat the precision.
constexpr std::array<std::string_view, 1> of_numbers{"scidac-record-xml"};

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Fields final : public format::FieldFormat, public format::RequiresUniqueNames {
 public:
  bool is_for(const FieldSpec&, const Extents&) const override { return true; }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 3> known{"layout", "dataset_chunk", "filters"};
    return known;
  }
  format::Layout plan(const format::FieldRequest& request) const override { return plan_field(request); }
  format::Layout plan_record(const format::RecordRequest& request) const override { return hdf5::plan_record(request); }

  Metadata carried(const Metadata& texts, bool precision_changes) const override {
    Metadata carried;
    for (const auto& [name, text] : texts) {
      const bool again = std::ranges::find(carried, name, &std::pair<std::string, std::string>::first) != carried.end();
      const bool outdated = precision_changes && is_among(of_numbers, name);
      if (!again && !outdated && !is_among(of_other_files, name) && !is_reserved(name))
        carried.emplace_back(name, text);
    }
    return carried;
  }

  const format::TileCodec* tile_codec(std::string_view encoding) const override { return hdf5::tile_codec(encoding); }

  std::vector<format::Literal> refer(std::span<const format::Reference> fields) const override {
    return hdf5::refer(fields);
  }

  void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry,
                  const format::Digest& sums) const override {
    hdf5::store_sums(file, catalog, entry, sums);
  }
};

}  // namespace

const format::FieldFormat& field_format() {
  static const Fields fields;
  return fields;
}

namespace {

// Maximum ratio of missing to existing bytes, because a damaged superblock may state anything.
constexpr std::uint64_t most_missing = 16;

class Hdf5Repairer final : public format::Repairer {
 public:
  // The library rejects a file that is shorter than its superblock states, although most of it may exist: the missing
  // bytes become zeros, which are not a header of an object.
  std::optional<std::uint64_t> mend(base::EditedSource& file, const Limits& limits,
                                    format::Findings& done) const override {
    const Superblock superblock = parse_superblock(file);
    close(file, superblock, done);
    const std::uint64_t there = file.size(), needed = whole_bytes(superblock);
    if (needed <= there) return {};
    const std::uint64_t missing = needed - there;
    if (missing / most_missing > there) refuse(file, missing, "far more than there is");
    file.append_zeros(missing);
    const Catalog catalog = scan(file, limits);
    const bool is_read =
        std::ranges::none_of(catalog.findings, [](const Finding& finding) { return finding.rule == "hdf5-file"; });
    if (!is_read || catalog.records.empty()) refuse(file, missing, "and with them what says which data it holds");
    Finding finding{.severity = Severity::warning,
                    .rule = "repair-hdf5-end",
                    .message = fmt::format("the last {} of {} bytes are missing and are zeros now: {} datasets can be "
                                           "read; what cannot is named below",
                                           missing, needed, catalog.records.size())};
    finding.offset = there;
    finding.length = missing;
    done.add(std::move(finding));
    state_unproven(file, fmt::format("since a repair: the file ended at byte {} of {}", there, needed));
    return there;
  }

 private:
  // A program that was killed leaves marks for which the library assumes that the file is still being written.
  static void close(base::EditedSource& file, const Superblock& superblock, format::Findings& done) {
    const auto closed = closed_superblock(file, superblock);
    if (!closed) return;
    file.replace(superblock.offset, closed->size(), *closed);
    Finding finding{.severity = Severity::warning,
                    .rule = "repair-hdf5-open",
                    .message =
                        "the program that wrote the file did not close it: the mark that it is open for writing, "
                        "for which HDF5 refuses it, was removed. What the program wrote after its last flush is "
                        "not in the file"};
    finding.offset = superblock.offset;
    finding.length = closed->size();
    done.add(std::move(finding));
  }

  [[noreturn]] static void refuse(const base::EditedSource& file, std::uint64_t missing, const char* why) {
    base::fail(Code::truncated, {.path = file.path()},
               "nothing of it can be rescued: {} bytes are missing at its end, {}; copy it again from its source",
               missing, why);
  }
};

}  // namespace

const format::Repairer& repairer() {
  static const Hdf5Repairer only;
  return only;
}

namespace {

// The field whose record represents several datasets; nullptr: it is a dataset.
const FieldEntry* field_in_arrays(const Catalog& catalog, const Record& record) {
  for (const FieldEntry& field : catalog.fields) {
    if (field.payload.arrays > 1 && &catalog.records[field.record] == &record) return &field;
  }
  return nullptr;
}

class Hdf5 final : public format::Container {
 public:
  format::Likeness recognise(base::ByteSource& file) const override {
    return find_signature(file) ? format::Likeness::yes : format::Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return hdf5::scan(file, limits); }
  // The arrays of a field stored in several datasets; else the single piece of a dataset.
  std::vector<format::RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog,
                                          const Record& record) const override {
    const FieldEntry* field = field_in_arrays(catalog, record);
    if (field == nullptr) return Container::pieces(file, catalog, record);
    std::vector<format::RecordPiece> all;
    for (const Tile& tile : field->payload.tiles) all.push_back({tile.file, tile.offset, tile.bytes});
    return all;
  }
  std::unique_ptr<base::ByteSource> contents(base::ByteSource& file, const Catalog& catalog,
                                             const Record& record) const override {
    const FieldEntry* field = field_in_arrays(catalog, record);
    if (field == nullptr) return contents_of(file, record.type);
    if (field->payload.block.size() == 0) return nullptr;
    base::fail(Code::unsupported, {.path = file.path(), .record = record.type},
               "{} is stored in several datasets, each in chunks; export them one by one",
               base::printable(record.type));
  }
  // scan() checks all rules.
  std::vector<Finding> validate(base::ByteSource&, const Catalog& catalog) const override { return catalog.findings; }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog) const override {
    return hdf5::explain(file, catalog);
  }
};

}  // namespace

const format::Format& format() {
  static const Hdf5 hdf5;
  static constexpr std::array<std::string_view, 2> suffixes{".h5", ".hdf5"};
  static const format::Format row{.info = {.name = "hdf5",
                                           .holds = "fields of any kind, arrays and texts, in groups",
                                           .begins = "\"\\x89HDF\"",
                                           .suffixes = suffixes,
                                           .contents = Contents::fields},
                                  .container = &hdf5,
                                  .records = &field_format(),
                                  .fields = &field_format(),
                                  .repairer = &repairer(),
                                  .examiner = &examiner()};
  return row;
}

LQ_REGISTER_FORMAT(hdf5, &format)

namespace {
[[maybe_unused]] const bool is_asked = (format::set_library_facts("hdf5", &library_facts), true);
}  // namespace

}  // namespace lq::hdf5
