// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walk, group, describe; nothing here throws for the contents of a file.
#include "format/scidac/scidac_base.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/metadata.hpp>

#include "base/text.hpp"
#include "format/findings.hpp"
#include "format/lime/header.hpp"
#include "format/lime/walk.hpp"
#include "format/record_texts.hpp"
#include "format/scidac/describe.hpp"
#include "format/scidac/documents.hpp"
#include "format/scidac/plan.hpp"
#include "format/scidac/program_texts.hpp"
#include "format/scidac/records.hpp"

namespace lq::format::scidac {

namespace {

class Scan {
 public:
  Scan(base::ByteSource& file, const Limits& limits) : file_(file), limits_(limits), texts_(file_, limits) {}

  Catalog run();

 private:
  void read_file_infos(const Groups& groups);
  void read_group(const Group& group);
  std::optional<Payload> payload_of(const Description& description, const Record& data);
  void compare_description(const Group& group, const FieldEntry& entry);
  void tell_subset(const FieldEntry& entry);
  std::optional<FileInfo> lattice_of_grid(const Group& group, const RecordInfo& info);
  void read_checksum(const Group& group, FieldEntry& entry);
  void read_slices(const Group& group, FieldEntry& entry);
  void read_spare_checksums(const Groups& groups);
  void report_strays(const Groups& groups);
  void compare_counts(const Groups& groups);
  void read_texts(const std::vector<RecordIndex>& indices, Metadata& metadata);
  void report_open_message(const Groups& groups);
  void report_lost_checksums(const Groups& groups);
  void report_lost_data(const Groups& groups);
  const Record& record(RecordIndex i) const { return catalog_.records[i]; }

  // decode(text of record i), or a finding and empty.
  template <class Decode>
  auto decode(RecordIndex i, const char* rule, Decode&& function)
      -> std::optional<std::invoke_result_t<Decode, std::string_view>>;

  ReadAhead file_;
  const Limits& limits_;
  TextReader texts_;
  Findings findings_;
  Catalog catalog_;
  lime::Walk walk_;
  std::map<RecordIndex, std::optional<FileInfo>> file_infos_;
  std::optional<Volumes> volumes_;  // of a field spread over several files
  std::size_t fields_in_volumes_ = 0;
  bool has_told_subset_ = false;  // one finding is enough for a file of many vectors
};

template <class Decode>
auto Scan::decode(RecordIndex i, const char* rule, Decode&& function)
    -> std::optional<std::invoke_result_t<Decode, std::string_view>> {
  try {
    return function(texts_.document(record(i)));
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::too_large) throw;
    findings_.error(error.code(), rule, record(i), error.what(), error.facts().expected, error.facts().found);
    return std::nullopt;
  }
}

void Scan::read_file_infos(const Groups& groups) {
  for (const RecordIndex i : groups.file_infos) {
    const auto info = decode(i, "scidac-private-file-xml", decode_file_info);
    file_infos_[i] = info;
    if (!info || info->volume_format == 0) continue;
    if (!volumes_) volumes_ = Volumes::open(file_.file(), *info, catalog_.records, limits_, findings_);
    if (!volumes_) file_infos_[i] = std::nullopt;
  }
}

void Scan::read_group(const Group& group) {
  Description description;
  if (group.file_info) {
    description.file = file_infos_[*group.file_info];
    if (!description.file) return;  // reported already
  }
  if (group.record_info) {
    description.record = decode(*group.record_info, "scidac-private-record-xml", decode_record_info);
    if (!description.record) return;
  }
  if (group.lattice) {
    description.lattice = decode(*group.lattice, "ildg-format", decode_lattice);
    if (!description.lattice) return;
  }
  if (description.record && !description.file && !description.lattice) {
    description.file = lattice_of_grid(group, *description.record);
  }
  auto payload = payload_of(description, record(group.data));
  if (!payload) return read_texts(group.texts, catalog_.metadata);

  FieldEntry entry;
  entry.payload = std::move(*payload);
  entry.record = group.data;
  entry.name = default_name(entry.payload.spec.kind);
  if (group.name) {
    const auto given = texts_.text(record(*group.name));
    if (given && !given->empty()) entry.name = *given;
  }
  read_texts(group.texts, entry.metadata);
  compare_description(group, entry);
  tell_subset(entry);
  read_slices(group, entry);
  read_checksum(group, entry);
  catalog_.fields.push_back(std::move(entry));
}

std::optional<Payload> Scan::payload_of(const Description& description, const Record& data) {
  const bool is_global = description.record && description.record->type == RecordType::global;
  if (!volumes_ || is_global) return describe(description, data, file_.file(), findings_);
  const std::size_t number = fields_in_volumes_++;
  if (description.record && description.record->type == RecordType::hypercube) {
    findings_.error(Code::unsupported, "scidac-hypercube", data,
                    "a part of the lattice in several files; join them with QIO's part-to-single conversion first");
    return {};
  }
  const Record whole = volumes_->whole(data, number, findings_);
  if (whole.data_length == 0) return {};
  auto payload = describe(description, whole, file_.file(), findings_);
  if (payload) volumes_->place(*payload, data, number);
  return payload;
}

// One letter of these texts may give the same numbers another meaning.
void Scan::compare_description(const Group& group, const FieldEntry& entry) {
  if (!group.description || !group.record_info) return;
  const auto shape =
      std::ranges::find_if(group.texts, [&](RecordIndex i) { return record(i).type == type::limequat_site_shape; });
  const std::string found = texts_.document(record(*group.description));
  const std::string expected = encode_description(entry.payload.extents, texts_.document(record(*group.record_info)),
                                                  group.name ? texts_.document(record(*group.name)) : "",
                                                  shape != group.texts.end() ? texts_.document(record(*shape)) : "");
  if (found == expected) return;
  findings_.error(Code::malformed, "limequat-description", record(*group.description),
                  fmt::format("the description of the field is damaged: {}, its texts or its lattice, which have the "
                              "sum \"{}\", not \"{}\"",
                              type::private_record_xml, expected, base::printable(found)),
                  expected, base::printable(found));
}

// The lattice of a packed field is not that of its sites: this is reported, and the field is read unchanged.
void Scan::tell_subset(const FieldEntry& entry) {
  const auto subset = subset_of(catalog_.metadata, entry.metadata);
  if (!subset || std::exchange(has_told_subset_, true)) return;
  const Record& data = record(entry.record);
  const std::string sites = fmt::format("the {} sites", subset->is_odd ? "odd" : "even");
  if (subset->halved) {
    findings_.warning("scidac-subset", data,
                      fmt::format("it contains {} only, packed into a lattice of half the extent in {}: {}", sites,
                                  "xyzt"[*subset->halved], to_string(entry.payload.extents)));
  } else {
    findings_.note("scidac-subset", data, fmt::format("only {} are filled, the others hold zeros", sites));
  }
}

// Grid describes each field of a file separately (formats/scidac.md 6.3).
std::optional<FileInfo> Scan::lattice_of_grid(const Group& group, const RecordInfo& info) {
  const auto text =
      std::ranges::find_if(group.texts, [&](RecordIndex i) { return record(i).type == type::grid_format; });
  if (text == group.texts.end()) return {};
  const auto extents = decode(*text, "grid-format", decode_grid_lattice);
  if (!extents) return {};
  const Record& data = record(group.data);
  const GridLattice lattice = stored_lattice(*extents, info, data.data_length);
  if (lattice.is_of_one_parity && !std::exchange(has_told_subset_, true)) {
    findings_.warning("scidac-subset", data,
                      fmt::format("half of the sites of {}: those of one parity (not stated which), packed into a "
                                  "lattice of half the extent in x: {}",
                                  to_string(*extents), to_string(lattice.extents)));
  }
  return FileInfo{lattice.extents};
}

void Scan::read_checksum(const Group& group, FieldEntry& entry) {
  if (!group.checksum) return;
  const auto stored = decode(*group.checksum, "scidac-checksum", decode_checksum);
  if (!stored) return;
  const std::optional<Checksum> sum = *stored;
  if (!sum) {
    findings_.warning(
        "scidac-checksum-empty", record(*group.checksum),
        "the record holds no sums, as QIO writes it when one of them is zero; the data cannot be verified");
    return;
  }
  entry.sums.set_checksum(*sum);
  const std::optional<Checksum> total = entry.sums.total_of_slices();
  if (total && *total != *sum) {
    findings_.error(Code::ok, "limequat-slices-contradict", record(*group.slices),
                    "the checksums of the slices do not combine to the checksum of the field; one of them is damaged",
                    to_string(*sum), to_string(*total));
  }
}

void Scan::read_slices(const Group& group, FieldEntry& entry) {
  if (!group.slices) return;
  const Record& slices = record(*group.slices);
  Sums found;
  try {
    found = decode_slices(texts_.document(slices));
  } catch (const Error& error) {
    if (error.code() != Code::malformed && error.code() != Code::too_large) throw;
    findings_.error(Code::ok, "limequat-slices-malformed", slices, error.what(), error.facts().expected,
                    error.facts().found);
    return;
  }
  const Extents& stored = entry.payload.stored.extents;
  const auto expected = static_cast<std::uint64_t>(stored[stored.size() - 1]);
  const std::size_t slices_found = found.slices().size();
  if (slices_found == expected) {
    for (Sum& sum : found.all) entry.sums.set(std::move(sum));
    return;
  }
  findings_.error(Code::ok, "limequat-slices-malformed", slices,
                  fmt::format("{} slices, but the field has {}", slices_found, expected));
}

// A second checksum equals the first, or one of them is damaged.
void Scan::read_spare_checksums(const Groups& groups) {
  for (const RecordIndex i : groups.spare_checksums) {
    const auto spare = decode(i, "scidac-checksum", decode_checksum);
    const auto behind = std::ranges::upper_bound(catalog_.fields, i, {}, &FieldEntry::record);
    if (!spare || behind == catalog_.fields.begin()) continue;
    const std::optional<Checksum> sum = *spare, first = (behind - 1)->sums.checksum();
    if (sum == first) {
      findings_.note("scidac-checksum-repeated", record(i), "the data have this checksum already");
    } else {
      findings_.error(Code::ok, "scidac-checksum-repeated", record(i),
                      "the data already have a different checksum; one of the two is damaged",
                      first ? to_string(*first) : "none", sum ? to_string(*sum) : "none");
    }
  }
}

// Records that refer to missing data: the type of the data record is damaged, or the record is gone. One message is
// one field, and what follows from the end of a truncated file is reported already.
void Scan::report_strays(const Groups& groups) {
  std::set<std::uint64_t> reported;
  if (!catalog_.records.empty() && (!catalog_.complete || groups.waits_for_data)) {
    reported.insert(catalog_.records.back().message);
  }
  for (const RecordIndex i : groups.strays) {
    if (!reported.insert(record(i).message).second) continue;
    const Role role = role_of(record(i).type);
    const bool describes = role == Role::record_info || role == Role::lattice;
    findings_.error(Code::malformed, "scidac-data-missing", record(i),
                    fmt::format("{} here, but no record of data belongs to it; the type or the length of a record is "
                                "damaged, or the data were never written: a field is missing",
                                describes ? "a field is described" : "data are described"));
  }
}

// If a text states the number of fields.
void Scan::compare_counts(const Groups& groups) {
  const auto compare = [&](const Record& where, std::uint64_t stated, std::uint64_t found) {
    if (stated == found) return;
    findings_.error(Code::ok, "scidac-fields-missing", where,
                    fmt::format("{} fields are stated, but there are {}; some are missing, or the number is damaged",
                                stated, found),
                    fmt::format("{}", stated), fmt::format("{}", found));
  };
  if (const auto vectors = stated_vectors(catalog_.metadata)) {
    const auto text = std::ranges::find(catalog_.records, type::file_xml, &Record::type);
    if (text != catalog_.records.end()) compare(*text, *vectors, catalog_.fields.size());
  }
  std::map<RecordIndex, std::uint64_t> described;
  for (const Group& group : groups.groups) {
    if (group.lattice) ++described[*group.lattice];
  }
  for (const auto& [lattice, found] : described) {
    const auto document = decode(lattice, "ildg-format", decode_lattice);
    if (document && document->flavours > 0) compare(record(lattice), document->flavours, found);
  }
}

void Scan::read_texts(const std::vector<RecordIndex>& indices, Metadata& metadata) {
  for (const RecordIndex i : indices) {
    if (auto text = texts_.text(record(i))) {
      metadata.emplace_back(metadata_key(record(i).type), std::move(*text));
    } else if (record(i).data_length > limits_.text_bytes) {
      findings_.note("text-too-long", record(i),
                     fmt::format("{} bytes are not kept as metadata", record(i).data_length));
    }
  }
}

// formats/lime.md 6.6: a file truncated between two records is complete as far as lengths show.
void Scan::report_open_message(const Groups& groups) {
  if (!walk_.inside_message || walk_.truncated) return;
  const Record& last = catalog_.records.back();
  const bool lacks_something = groups.waits_for_data || groups.groups.empty() || !groups.groups.back().checksum;
  if (lacks_something) {
    catalog_.complete = false;
    findings_.error(Code::truncated, "lime-message-truncated", last,
                    "the file ends inside a message: its last record does not end it (ME), and data or checksum are "
                    "missing; copy the file again from its source");
  } else {
    findings_.warning("lime-message-end", last, "the last message of the file is not ended (ME)");
  }
}

// A message that was begun (MB) and not ended (ME) before the next one begins has lost its last record, which is that
// of the checksum. Writers that never end messages lose nothing.
void Scan::report_lost_checksums(const Groups& groups) {
  if (std::ranges::none_of(catalog_.records, &Record::me_flag)) return;
  for (const Group& group : groups.groups) {
    if (group.checksum) continue;
    const auto is_other = [&](const Record& one) { return one.message != record(group.data).message; };
    const auto begin = std::ranges::find(catalog_.records, record(group.data).message, &Record::message);
    const auto end = std::find_if(begin, catalog_.records.end(), is_other);
    if (end == catalog_.records.end() || !begin->mb_flag || (end - 1)->me_flag || !end->mb_flag) continue;
    findings_.error(Code::malformed, "scidac-checksum-lost", *(end - 1),
                    "the message of these data is not ended (ME): its last record, that of the checksum, is missing, "
                    "or its flag is damaged");
  }
}

// A damaged type or length hides the data from the scan; a file that announces a field must contain one.
void Scan::report_lost_data(const Groups& groups) {
  if (catalog_.records.empty() || walk_.inside_message || walk_.truncated) return;
  const Record& last = catalog_.records.back();
  const std::uint64_t end = last.offset + last.data_length;
  if (groups.waits_for_data) {
    findings_.error(Code::malformed, "scidac-data-missing", last,
                    "a field is described, but no record of data follows the description; the type or the length of "
                    "a record is damaged, or the data were never written");
  } else if (groups.groups.empty() && !groups.file_infos.empty()) {
    findings_.error(
        Code::ok, "scidac-data-missing", last,
        "a lattice is described, but there is no record of data; the file is truncated, or nothing was written");
  } else if (groups.groups.empty() && file_.size() > end && file_.size() - end > lime::header_bytes) {
    findings_.error(Code::malformed, "scidac-data-missing", last,
                    "no record holds data, and the bytes after this one are not a record; its length may be damaged");
  }
}

Catalog Scan::run() {
  catalog_.path = file_.file().path();
  catalog_.file_bytes = file_.size();
  walk_ = lime::walk(file_, limits_, findings_);
  catalog_.records = std::move(walk_.records);
  catalog_.complete = !walk_.truncated;
  const Groups groups = group_records(catalog_.records, file_.size());
  report_open_message(groups);
  report_lost_checksums(groups);
  report_lost_data(groups);
  report_strays(groups);
  read_file_infos(groups);
  read_texts(groups.texts, catalog_.metadata);
  for (const Group& group : groups.groups) read_group(group);
  read_spare_checksums(groups);
  compare_counts(groups);
  state_observables(catalog_);
  if (volumes_) {
    catalog_.files = volumes_->files();
    catalog_.file_bytes = volumes_->bytes();
    const auto& others = volumes_->other_records();
    catalog_.records.insert(catalog_.records.end(), others.begin(), others.end());
  }
  catalog_.findings = findings_.take();
  catalog_.complete = catalog_.complete && std::ranges::none_of(catalog_.findings, [](const Finding& finding) {
                        return finding.severity == Severity::error && finding.code == Code::truncated;
                      });
  return std::move(catalog_);
}

}  // namespace

Catalog scan(base::ByteSource& file, const Limits& limits, std::string_view format_name) {
  const Master master = master_of(file);
  Catalog catalog = Scan(master.file ? *master.file : file, limits).run();
  catalog.path = file.path();
  catalog.format = format_name;
  if (master.is_missing && !catalog.records.empty()) {
    Findings findings;
    findings.error(Code::malformed, "scidac-volume-missing", catalog.records.front(),
                   fmt::format("one of several files of a field, and the file with the descriptions{} is missing; copy "
                               "it to the same folder",
                               master.name.empty() ? "" : " (" + master.name + ")"));
    for (Finding& finding : findings.take()) catalog.findings.insert(catalog.findings.begin(), std::move(finding));
  }
  return catalog;
}

}  // namespace lq::format::scidac
