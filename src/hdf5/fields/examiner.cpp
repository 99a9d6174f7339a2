// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/hdf5_format.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <hdf5.h>

#include "base/text.hpp"
#include "hdf5/fields/correlators.hpp"
#include "hdf5/headers/structures.hpp"
#include "hdf5/layouts/folder.hpp"
#include "hdf5/making/small_objects.hpp"
#include "hdf5/tree/storage.hpp"
#include "hdf5/tree/tree.hpp"
#include "kernels/digest.hpp"

namespace lq::hdf5 {
namespace {

constexpr std::uint64_t block_bytes = 1 << 20;
// Maximum number of objects without a checksum that are named individually.
constexpr std::size_t most_named = 16;

// Findings of a scan which mean that something that belongs to a field exists but cannot be used.
constexpr std::array<std::string_view, 6> of_damaged_fields{"hdf5-native-checksum", "hdf5-native-slices",
                                                            "hdf5-native-shape",    "hdf5-qlua-digest",
                                                            "hdf5-qlua-kind",       "hdf5-half-a-group"};

bool is_about_file(const Error& error) {
  return error.code() == Code::malformed || error.code() == Code::truncated || error.code() == Code::checksum_mismatch;
}

bool refers_elsewhere(const Type& type) {
  if (type.kind == TypeClass::list || type.is_variable) return true;
  return std::ranges::any_of(type.parts, refers_elsewhere);
}

// Elements that can be read in pieces and compared with a digest.
bool is_of_values(const Type& type) {
  switch (strip(type).base->kind) {
    case TypeClass::integer:
    case TypeClass::real:
    case TypeClass::complex:
    case TypeClass::boolean:
    case TypeClass::string:
      return !strip(type).base->is_variable;
    default:
      return false;
  }
}

// Datasets that contain the payload of fields, whose sums are compared when fields are read.
class DatasetsOfFields {
 public:
  explicit DatasetsOfFields(const Catalog& catalog) {
    for (const FieldEntry& field : catalog.fields) {
      const Payload& payload = field.payload;
      const std::string& path = catalog.records.at(static_cast<std::size_t>(field.record)).type;
      if (payload.arrays <= 1) {
        paths_.insert(path);
        continue;
      }
      // The record represents all of them.
      const std::size_t tiles = payload.tiles.size() / static_cast<std::size_t>(payload.arrays);
      for (std::size_t k = 0; tiles > 0 && k < payload.tiles.size(); k += tiles) {
        beginnings_[path].insert(payload.tiles[k].offset);
      }
    }
  }

  bool has(const Opened& file, const Visited& object, const Storage& storage) const {
    if (paths_.contains(object.path)) return true;
    const std::size_t slash = object.path.rfind('/');
    const auto group = beginnings_.find(slash == 0 ? "/" : object.path.substr(0, slash));
    if (group == beginnings_.end()) return false;
    if (storage.kind != StorageKind::chunked) return group->second.contains(storage.offset);
    const std::vector<hsize_t> first(storage.chunk.size());
    const auto chunk = find_chunk(file.id(), object.handle->get(), first.data());
    return chunk && group->second.contains(chunk->offset);
  }

 private:
  std::set<std::string, std::less<>> paths_;
  std::map<std::string, std::set<std::uint64_t>, std::less<>> beginnings_;  // beginnings of arrays, by group
};

class Examination final : public Visitor {
 public:
  Examination(base::ByteSource& source, const Catalog& catalog, const Limits& limits)
      : source_(source), catalog_(catalog), limits_(limits), of_fields_(catalog) {}

  format::Examined run() {
    for (const Finding& finding : catalog_.findings) take_over(finding);
    try {
      Opened file(source_);
      file_ = &file;
      has_plain_headers_ = file.superblock().version < 2;
      format::Findings met;
      CorrelatorStore correlators(file, limits_);
      correlators_ = &correlators;
      walk(file, limits_, met, *this);
      for (Finding& finding : met.take()) add_new(std::move(finding));
      compare_places();
      correlators.conclude(claims_, findings_);
    } catch (const Error& error) {
      if (!is_about_file(error) && error.code() != Code::unsupported) throw;
      claim("file", "structure", Evidence::structure, Outcome::unreadable);  // the scan has reported the reason
    }
    file_ = nullptr;
    correlators_ = nullptr;
    claim_headers();
    claim_rest();
    return {std::move(claims_), findings_.take()};
  }

 private:
  struct Place {
    std::uint64_t offset = 0, bytes = 0;
    std::size_t dataset = 0;
  };

  void claim(std::string of, std::string name, Evidence evidence, Outcome outcome,
             std::optional<std::uint64_t> offset = {}, std::optional<std::uint64_t> length = {}) {
    claims_.push_back({std::move(of), std::move(name), evidence, outcome, offset, length});
  }

  // Scans are made for readers, who may not need it; here it is damage.
  void take_over(const Finding& finding) {
    if (std::ranges::find(of_damaged_fields, finding.rule) != of_damaged_fields.end()) {
      claim(finding.record, finding.rule, Evidence::exact_sum, Outcome::unreadable, finding.offset);
    } else if (finding.rule == "hdf5-field" && finding.severity == Severity::warning) {
      claim(finding.record, "data", Evidence::exact_sum, Outcome::unchecked, finding.offset);
    }
  }

  // Adds findings that the scan, which checks less, has not reported.
  void add_new(Finding finding) {
    const bool is_known = std::ranges::any_of(catalog_.findings, [&](const Finding& known) {
      return known.rule == finding.rule && known.record == finding.record;
    });
    if (!is_known && finding.severity == Severity::error) findings_.add(std::move(finding));
  }

  void member(const Visited& object) override {
    look_at_header(object);
    if (object.kind != ObjectKind::dataset) return;
    bool lacks_digest = false;
    const Attributes attributes = attributes_of(object, lacks_digest);
    const ErrorPlace where = file_->where(object.path);
    const Dataset data = describe_dataset(*file_, object.handle->get(), where);
    has_heap_ = has_heap_ || refers_elsewhere(data.type);
    if (of_fields_.has(*file_, object, data.storage)) return look_at_field(object, attributes);
    take_place(object, data);
    if (correlators_->holds(object.path)) return;
    look_at_axes(object, attributes, data);
    look_at_object({object, attributes, data, where, lacks_digest});
  }

  void group(const Visited& object) override {
    look_at_header(object);
    bool lacks_digest = false;
    attributes_of(object, lacks_digest);
    correlators_->look_at(object);
  }

  // The library compares the checksums of version 2 headers when it reads them.
  void look_at_header(const Visited& object) {
    const std::uint64_t address = object.address - file_->superblock().offset;
    has_plain_headers_ = has_plain_headers_ || read_object_header(source_, file_->superblock(), address).version < 2;
  }

  Attributes attributes_of(const Visited& object, bool& lacks_digest) {
    if (object.kind == ObjectKind::type || object.kind == ObjectKind::other) return {};
    Attributes attributes = read_attributes(
        *file_, object.handle->get(), file_->where(object.path), limits_.text_bytes,
        [&](const std::string& name, const Error& error) {
          if (error.code() == Code::unsupported || error.code() == Code::too_large) {
            claim(object.path, name, Evidence::exact_sum, Outcome::absent);
            return;
          }
          lacks_digest = lacks_digest || is_digest_name(name);
          add(object, "hdf5-attribute-damaged", error.code(),
              fmt::format("its attribute {} is damaged: {}", base::printable(name), error.what()), object.address);
          claim(object.path, name, Evidence::structure, Outcome::unreadable);
        });
    for (const auto& [name, value] : attributes) {
      // Lists of references to scales point into a heap, and are compared with their targets.
      has_heap_ = has_heap_ || (refers_elsewhere(value.type) && name != "DIMENSION_LIST");
    }
    return attributes;
  }

  void look_at_field(const Visited& object, const Attributes& attributes) {
    const bool is_of_qlua = find(attributes, ".kind") != nullptr && find(attributes, ".time") != nullptr;
    if (is_of_qlua && !has_digest(attributes)) miss_digest(object);
  }

  // The names of axes are the names of the scales to which references point, and are stored a second time with the
  // data. Scales may have been renamed since.
  void look_at_axes(const Visited& object, const Attributes& attributes, const Dataset& data) {
    if (find(attributes, "DIMENSION_LIST") == nullptr) return;
    const auto axes = axes_of(*file_, object.handle->get(), data.extents.size(), file_->where(object.path));
    std::string names;
    for (const Axis& axis : axes) names += fmt::format("{}{}", names.empty() ? "" : ",", axis.name);
    const Value* const stated = find(attributes, native::dimensions);
    const bool is_same = stated != nullptr && text_of(*stated) == names;
    const bool are_lost =
        stated != nullptr && axes.empty();  // the heap with the references is damaged, or the scales are gone
    claim(object.path, "axes", Evidence::second_copy,
          are_lost  ? Outcome::unchecked
          : is_same ? Outcome::agrees
                    : Outcome::absent);
  }

  struct ExaminedObject {
    const Visited& object;
    const Attributes& attributes;
    const Dataset& data;
    const ErrorPlace& where;
    bool lacks_digest;
  };

  void look_at_object(const ExaminedObject& at) {
    const bool is_stated = has_digest(at.attributes);
    const bool must_have = requires_digest(at.attributes);
    if (at.lacks_digest || (is_stated && !is_digest_sound(at.attributes))) {
      add(at.object, "hdf5-digest-damaged", Code::malformed, "its SHA-256 cannot be read, and its data not be compared",
          at.object.address);
      claim(at.object.path, "sha256", Evidence::exact_sum, Outcome::unreadable);
    } else if (!is_stated && must_have) {
      miss_digest(at.object);
    }
    const bool has_bytes = at.data.storage.is_allocated || at.data.storage.kind == StorageKind::chunked;
    if (at.data.storage.kind == StorageKind::external || at.data.storage.kind == StorageKind::virtual_) {
      return claim(at.object.path, "data in other files", Evidence::exact_sum,
                   is_stated ? Outcome::unchecked : Outcome::absent);
    }
    try {
      const bool is_whole = !has_bytes || check_data(at);
      if (is_stated && is_digest_sound(at.attributes)) compare_digest(at, is_whole);
      if (!is_stated && !must_have && !at.lacks_digest && has_bytes && at.data.bytes() > 0) {
        without_sum_.push_back(at.object.path);
      }
    } catch (const Error& error) {
      if (error.code() == Code::unsupported || error.code() == Code::too_large) return cannot_look(at, error);
      if (!is_about_file(error)) throw;
      add(at.object, "hdf5-data", error.code(), error.what(), error.facts().offset);
      claim(at.object.path, "data", Evidence::structure, Outcome::unreadable);
    }
  }

  void miss_digest(const Visited& object) {
    add(object, "hdf5-digest-missing", Code::malformed,
        "it has no SHA-256, although objects with its other attributes have one", object.address);
    claim(object.path, "sha256", Evidence::exact_sum, Outcome::missing);
  }

  void cannot_look(const ExaminedObject& at, const Error& error) {
    findings_.note("hdf5-not-looked-into", record_at(at.object.path, at.object.address), error.what());
    claim(at.object.path, "data", has_digest(at.attributes) ? Evidence::exact_sum : Evidence::structure,
          Outcome::unchecked);
  }

  // Decodes every chunk; or checks that the data are inside the file. True if all of it can be read.
  bool check_data(const ExaminedObject& at) {
    if (at.data.type.bytes == 0 || at.data.is_null || at.data.bytes() == 0) return true;
    const DatasetContents contents(*file_, at.object.handle->get(), at.data.extents, at.data.type.bytes, at.where,
                                   limits_.records);
    std::uint64_t damaged = 0, written = 0;
    for (std::size_t number = 0; number < contents.chunks().size(); ++number) {
      const Chunk& chunk = contents.chunks()[number];
      if (chunk.bytes == 0) continue;
      ++written;
      places_.push_back({chunk.offset, chunk.bytes, names_.size() - 1});
      try {
        contents.check_chunk(number);
      } catch (const Error& error) {
        if (!is_about_file(error)) throw;
        ++damaged;
        add(at.object, "hdf5-chunk", error.code(), error.what(), chunk.offset, chunk.bytes);
      }
    }
    if (written == 0) return true;
    claim_chunks(at, damaged > 0);
    return damaged == 0;
  }

  // Checksums of chunks do not detect exchanged or lost chunks; Fletcher32 does not distinguish the words ffff and
  // 0000.
  void claim_chunks(const ExaminedObject& at, bool are_damaged) {
    bool has_sum = false;
    for (const Filter& filter : at.data.storage.filters) {
      const bool is_fletcher = filter.id == H5Z_FILTER_FLETCHER32;
      if (!is_fletcher && filter.id != H5Z_FILTER_DEFLATE) continue;
      has_sum = true;
      claim(at.object.path, is_fletcher ? "fletcher32" : "adler32", Evidence::weak_sum,
            are_damaged ? Outcome::differs : Outcome::agrees);
    }
    if (!has_sum) {
      claim(at.object.path, "chunks", Evidence::structure, are_damaged ? Outcome::unreadable : Outcome::agrees);
    }
  }

  void compare_digest(const ExaminedObject& at, bool is_whole) {
    const std::uint64_t length = at.data.bytes();
    const auto offset = at.data.storage.is_allocated ? std::optional(at.data.storage.offset) : std::nullopt;
    const auto conclude = [&](Outcome outcome) {
      claim(at.object.path, "sha256", Evidence::exact_sum, outcome, offset, length);
    };
    if (!is_whole) return conclude(Outcome::unreadable);
    if (is_of_sites(at.attributes) && !is_plain_number(at.data.type)) return conclude(Outcome::unchecked);
    const auto [plain, padded] = is_of_sites(at.attributes) ? digests_of_sites(at) : digests_of(at);
    const std::string stated = stored_digest(at.attributes);
    // The age of the writing program is not recorded: either rule is accepted.
    if (stated == plain || stated == padded) return conclude(Outcome::agrees);
    conclude(Outcome::differs);
    add(at.object, "hdf5-digest", Code::checksum_mismatch,
        "its numbers are not those that were written, by their SHA-256; take them from a good copy", offset, length,
        stated, plain);
  }

  // The digest of a lattice is computed from its sites and their coordinates.
  static bool is_of_sites(const Attributes& attributes) {
    const Value* const kind = find(attributes, ".kind");
    return kind != nullptr && text_of(*kind).value_or("").starts_with("Lattice");
  }

  static bool is_plain_number(const Type& type) {
    const TypeClass kind = strip(type).base->kind;
    return kind == TypeClass::integer || kind == TypeClass::real || kind == TypeClass::complex;
  }

  // For a lattice that is not a field here, such as one of integers (formats/hdf5.md 5): exclusive or over its sites.
  std::pair<std::string, std::string> digests_of_sites(const ExaminedObject& at) {
    const Type& number = *strip(at.data.type).base;
    const std::uint64_t bytes = number.kind == TypeClass::complex ? number.bytes / 2 : number.bytes;
    DatasetContents contents(*file_, at.object.handle->get(), at.data.extents, at.data.type.bytes, at.where,
                             limits_.records);
    std::vector<std::byte> site(static_cast<std::size_t>(at.data.type.bytes));
    std::vector<std::int64_t> x(at.data.extents.size());
    kernels::Sha256::Words sums[2] = {};
    for (std::uint64_t done = 0; done < contents.size(); done += site.size()) {
      contents.read_at(done, site);
      for (const bool is_padded : {false, true}) {
        const auto words = kernels::sha256_of_site(site, static_cast<std::size_t>(bytes),
                                                   number.order == ByteOrder::big, x, is_padded);
        for (std::size_t k = 0; k < words.size(); ++k) sums[is_padded ? 1 : 0][k] ^= words[k];
      }
      for (std::size_t d = x.size(); d-- > 0;) {
        if (++x[d] < static_cast<std::int64_t>(at.data.extents[d])) break;
        x[d] = 0;
      }
    }
    return {fmt::format("{:08x}", fmt::join(sums[0], "")), fmt::format("{:08x}", fmt::join(sums[1], ""))};
  }

  std::pair<std::string, std::string> digests_of(const ExaminedObject& at) {
    ArrayDigest plain, padded(true);
    const auto add_values = [&](const Value& value) {
      const Array piece = array_of(value, at.where);
      plain.add(piece);
      padded.add(piece);
    };
    if (!is_of_values(at.data.type)) {
      add_values(read_value(*file_, at.object.handle->get(), at.where, limits_.text_bytes));
    } else if (at.data.bytes() > 0) {
      DatasetContents contents(*file_, at.object.handle->get(), at.data.extents, at.data.type.bytes, at.where,
                               limits_.records);
      const std::uint64_t element = at.data.type.bytes,
                          block = std::max<std::uint64_t>(block_bytes / element, 1) * element;
      std::vector<std::byte> raw(static_cast<std::size_t>(std::min(block, contents.size())));
      for (std::uint64_t done = 0; done < contents.size();) {
        const std::size_t read = contents.read_at(done, raw);
        if (read == 0) throw Error(Code::truncated, at.where.path + ": the file ends before its data do");
        add_values(decode(at.data.type, {read / element}, base::Bytes(raw).first(read)));
        done += read;
      }
    }
    return {digits_of(plain.finish()), digits_of(padded.finish())};
  }

  void take_place(const Visited& object, const Dataset& data) {
    names_.push_back(object.path);
    if (data.storage.kind == StorageKind::contiguous && data.storage.is_allocated && data.bytes() > 0) {
      places_.push_back({data.storage.offset, data.bytes(), names_.size() - 1});
    }
  }

  // A damaged list of chunks may give the place of another chunk, whose checksum agrees.
  void compare_places() {
    for (const FieldEntry& field : catalog_.fields) {
      names_.push_back(field.name);
      if (field.payload.tiles.empty())
        places_.push_back({field.payload.offset, field.payload.length, names_.size() - 1});
      for (const Tile& tile : field.payload.tiles) {
        if (tile.bytes > 0) places_.push_back({tile.offset, tile.bytes, names_.size() - 1});
      }
    }
    std::ranges::sort(places_, {}, &Place::offset);
    for (std::size_t k = 1; k < places_.size(); ++k) {
      const Place &before = places_[k - 1], &here = places_[k];
      if (here.offset - before.offset >= before.bytes) continue;
      Finding finding{
          .severity = Severity::error,
          .code = Code::malformed,
          .rule = "hdf5-shared-data",
          .message = fmt::format("{}: bytes from {} on are data of {} and of {} at once", source_.path(), here.offset,
                                 base::printable(names_[before.dataset]), base::printable(names_[here.dataset])),
          .record = names_[here.dataset],
          .offset = here.offset,
          .length = here.bytes};
      findings_.add(std::move(finding));
    }
  }

  // Names, types, extents, attributes.
  void claim_headers() {
    const bool are_proven = !has_plain_headers_ && !has_heap_;
    claim("names, shapes and attributes", "checksums of HDF5", Evidence::exact_sum,
          are_proven ? Outcome::agrees : Outcome::absent);
  }

  void claim_rest() {
    for (std::size_t k = 0; k < without_sum_.size() && k < most_named; ++k) {
      claim(without_sum_[k], "sha256", Evidence::exact_sum, Outcome::absent);
    }
    if (without_sum_.size() > most_named) {
      claim(fmt::format("{} more datasets", without_sum_.size() - most_named), "sha256", Evidence::exact_sum,
            Outcome::absent);
    }
  }

  void add(const Visited& object, const char* rule, Code code, const std::string& message,
           std::optional<std::uint64_t> offset = {}, std::optional<std::uint64_t> length = {},
           std::string expected = {}, std::string found = {}) {
    const std::string begin = source_.path() + ": ";
    const std::string what = message.starts_with(begin) ? message.substr(begin.size()) : message;
    Finding finding{.severity = Severity::error,
                    .code = code,
                    .rule = rule,
                    .message = fmt::format("{}: {}: {}", source_.path(), base::printable(object.path), what),
                    .record = object.path,
                    .offset = offset,
                    .length = length,
                    .expected = std::move(expected),
                    .found = std::move(found)};
    findings_.add(std::move(finding));
  }

  base::ByteSource& source_;
  const Catalog& catalog_;
  const Limits& limits_;
  DatasetsOfFields of_fields_;
  const Opened* file_ = nullptr;
  CorrelatorStore* correlators_ = nullptr;
  format::Findings findings_;
  std::vector<Claim> claims_;
  std::vector<std::string> names_;  // names of datasets in `places_`
  std::vector<Place> places_;
  std::vector<std::string> without_sum_;
  bool has_plain_headers_ = false;  // without checksums
  bool has_heap_ = false;           // texts of variable length, which also have no checksum
};

class Hdf5Examiner final : public format::Examiner {
 public:
  format::Examined examine(base::ByteSource& file, const Catalog& catalog, const Limits& limits) const override {
    return Examination(file, catalog, limits).run();
  }
};

}  // namespace

const format::Examiner& examiner() {
  static const Hdf5Examiner only;
  return only;
}

}  // namespace lq::hdf5
