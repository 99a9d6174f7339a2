// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every field of a set held against its checksum.
#include <fmt/format.h>
#include <limequat/error.hpp>

#include "checkpoint/repair.hpp"
#include "checkpoint/set_fields.hpp"

namespace lq::checkpoint {
namespace {

ChunkDamage damage_of_fields(const std::string& path, std::string what) {
  ChunkDamage damage;
  damage.path = path;
  damage.task = -1;
  damage.what = std::move(what);
  return damage;
}

}  // namespace

CheckedFields check_fields(transport::Transport& transport, const FoundSet& found, FieldData data) {
  CheckedFields checked;
  if (!found.fields_path.empty()) {
    checked = check_fields(transport, found.fields_path, found.records.front().generation, data);
  }
  const std::size_t intact = checked.fields.intact.size();
  if (found.fields_problem) {
    checked.damage.push_back(damage_of_fields(fields_name(found.path), found.fields_problem->what()));
  } else if (intact < found.fields && checked.damage.empty()) {
    checked.damage.push_back(damage_of_fields(
        found.fields_path, fmt::format("{}: the set has {} fields, of which {} are there: the file was cut",
                                       found.fields_path, found.fields, intact)));
  }
  return checked;
}

void verify_fields(transport::Transport& transport, const FoundSet& found, MultifileCheck& check) {
  const CheckedFields fields = check_fields(transport, found, FieldData::compared);
  check.fields_checked = fields.fields.intact.size();
  check.damage.insert(check.damage.end(), fields.damage.begin(), fields.damage.end());
}

}  // namespace lq::checkpoint
