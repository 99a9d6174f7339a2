// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/records.hpp"

#include <algorithm>
#include <utility>

namespace lq::format::scidac {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 13> roles{{
    {type::private_file_xml, Role::file_info},
    {type::file_xml, Role::file_text},
    {type::private_record_xml, Role::record_info},
    {type::ildg_format, Role::lattice},
    {type::etmc_propagator_format, Role::lattice},
    {type::etmc_source_format, Role::lattice},
    {type::binary_data, Role::data},
    {type::ildg_binary_data, Role::data},
    {type::checksum, Role::checksum},
    {type::limequat_slices, Role::slices},
    {type::limequat_name, Role::name},
    {type::limequat_description, Role::description},
    {type::sitelist, Role::binary},
}};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

Role role_of(std::string_view name) noexcept {
  const auto row = std::ranges::find(roles, name, &std::pair<std::string_view, Role>::first);
  if (row != roles.end()) return row->second;
  return name.ends_with("binary-data") ? Role::binary : Role::text;
}

bool is_structural(std::string_view name) noexcept {
  const Role role = role_of(name);
  return role != Role::text && role != Role::file_text;
}

std::string_view metadata_key(std::string_view name) noexcept {
  return std::ranges::equal(name, type::ildg_data_lfn, {}, lower) ? type::ildg_data_lfn : name;
}

namespace {

struct Row {
  std::string_view type, name, section;
};
constexpr Row meanings[] = {
    {type::private_file_xml, "private XML of the file", "formats/scidac.md 3.1"},
    {type::file_xml, "user's text on the file", "formats/scidac.md 2.1"},
    {type::private_record_xml, "private XML of the field", "formats/scidac.md 3.2"},
    {type::record_xml, "user's text on the field", "formats/scidac.md 2.1"},
    {type::checksum, "checksum", "formats/scidac.md 4.4"},
    {type::binary_data, "sites", "formats/scidac.md 4.1"},
    {type::sitelist, "site list", "formats/scidac.md 4.6"},
    {type::ildg_format, "description of the field", "formats/ildg.md 3"},
    {type::ildg_data_lfn, "logical file name", "formats/ildg.md 5"},
    {type::ildg_binary_data, "sites", "formats/ildg.md 4"},
    {type::etmc_propagator_format, "description of the field", "formats/scidac.md 6.1"},
    {type::etmc_source_format, "description of the field", "formats/scidac.md 6.1"},
    {type::limequat_slices, "checksums of slices", "formats/scidac.md 5.1"},
    {type::limequat_name, "name of the field", "formats/scidac.md 5.2"},
    {type::limequat_site_shape, "axes of a site", "formats/scidac.md 5.4"},
    {type::limequat_description, "sum of the description", "formats/scidac.md 5.5"},
    {type::xlf_info, "text", "formats/scidac.md 6.2"},
};

}  // namespace

lime::Meaning meaning_of(const Record& record) {
  const auto row = std::ranges::find(meanings, metadata_key(record.type), &Row::type);
  if (row == std::end(meanings)) return {"payload", "formats/lime.md 4"};
  return {std::string(row->name), std::string(row->section)};
}

namespace {

class Grouping {
 public:
  explicit Grouping(const std::vector<Record>& records) : records_(records) {}

  void add(RecordIndex i);
  Groups take();

 private:
  void add_data(RecordIndex i);
  void add_checksum(RecordIndex i);
  void add_description(RecordIndex i, std::optional<RecordIndex> Group::*member);
  void add_attachment(RecordIndex i, std::optional<RecordIndex> Group::*member);
  void wait_with(std::optional<RecordIndex>& place, RecordIndex i);
  void give_up(std::optional<RecordIndex>& place);
  void settle_texts(Group* next);
  bool same_message(RecordIndex a, RecordIndex b) const { return records_[a].message == records_[b].message; }
  bool described(const Group& group) const { return group.record_info || group.lattice; }

  const std::vector<Record>& records_;
  Groups result_;
  Group waiting_;                    // collected since the last data record
  std::optional<RecordIndex> etmc_;  // formats/scidac.md 6.1: describes several data records
};

void Grouping::add(RecordIndex i) {
  switch (role_of(records_[i].type)) {
    case Role::file_info:
      waiting_.file_info = i;
      result_.file_infos.push_back(i);
      break;
    case Role::file_text:
      result_.texts.push_back(i);
      break;
    case Role::record_info:
      add_description(i, &Group::record_info);
      break;
    case Role::lattice:
      add_description(i, &Group::lattice);
      break;
    case Role::data:
      add_data(i);
      break;
    case Role::checksum:
      add_checksum(i);
      break;
    case Role::slices:
      add_attachment(i, &Group::slices);
      break;
    case Role::name:
      add_attachment(i, &Group::name);
      break;
    case Role::description:
      add_attachment(i, &Group::description);
      break;
    case Role::text:
      waiting_.texts.push_back(i);
      break;
    case Role::binary:
      break;
  }
}

void Grouping::add_data(RecordIndex i) {
  Group group = waiting_;
  group.data = i;
  group.texts.clear();
  if (group.checksum && !same_message(*group.checksum, i)) give_up(group.checksum);
  if (!described(group)) group.lattice = etmc_;
  if (group.lattice && records_[*group.lattice].type != type::ildg_format) etmc_ = group.lattice;
  settle_texts(&group);
  result_.groups.push_back(std::move(group));
  const auto file_info = waiting_.file_info;  // valid for all that follow
  waiting_ = Group{};
  waiting_.file_info = file_info;
}

// Data and checksum need not share a message; only texts may be between them.
void Grouping::add_checksum(RecordIndex i) {
  Group* last = result_.groups.empty() ? nullptr : &result_.groups.back();
  if (last && !last->checksum && !described(waiting_)) {
    last->checksum = i;
    settle_texts(nullptr);
  } else if (last && same_message(last->data, i) && !described(waiting_)) {
    result_.spare_checksums.push_back(i);
  } else {
    wait_with(waiting_.checksum, i);
  }
}

// A previous one without data is dropped: its data are missing.
void Grouping::wait_with(std::optional<RecordIndex>& place, RecordIndex i) {
  give_up(place);
  place = i;
}

void Grouping::give_up(std::optional<RecordIndex>& place) {
  if (place) result_.strays.push_back(*place);
  place.reset();
}

// A description precedes its data or, in the same message, follows them.
void Grouping::add_description(RecordIndex i, std::optional<RecordIndex> Group::*member) {
  Group* last = result_.groups.empty() ? nullptr : &result_.groups.back();
  const bool behind = last && same_message(last->data, i) && !described(*last);
  if (behind) {
    last->*member = i;
  } else {
    wait_with(waiting_.*member, i);
  }
}

void Grouping::add_attachment(RecordIndex i, std::optional<RecordIndex> Group::*member) {
  Group* last = result_.groups.empty() ? nullptr : &result_.groups.back();
  const bool behind =
      last && same_message(last->data, i) && !last->checksum && !(last->*member) && !described(waiting_);
  if (behind) {
    last->*member = i;
  } else {
    wait_with(waiting_.*member, i);
  }
}

// A text belongs to the data record of its own message: the next one, else the last one.
void Grouping::settle_texts(Group* next) {
  Group* last = result_.groups.empty() ? nullptr : &result_.groups.back();
  for (const RecordIndex text : std::exchange(waiting_.texts, {})) {
    if (next && same_message(text, next->data)) {
      next->texts.push_back(text);
    } else if (last && same_message(text, last->data)) {
      last->texts.push_back(text);
    } else {
      result_.texts.push_back(text);
    }
  }
}

Groups Grouping::take() {
  settle_texts(nullptr);
  result_.waits_for_data = described(waiting_);
  give_up(waiting_.checksum);
  give_up(waiting_.slices);
  give_up(waiting_.name);
  give_up(waiting_.description);
  if (!result_.file_infos.empty()) {
    for (Group& group : result_.groups) {
      if (!group.file_info) group.file_info = result_.file_infos.front();
    }
  }
  return std::move(result_);
}

}  // namespace

Groups group_records(const std::vector<Record>& records, std::uint64_t file_bytes) {
  Grouping grouping(records);
  for (RecordIndex i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    if (record.offset > file_bytes || record.data_length > file_bytes - record.offset) continue;
    grouping.add(i);
  }
  return grouping.take();
}

}  // namespace lq::format::scidac
