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

void verify_fields(transport::Transport& transport, const FoundSet& found, MultifileCheck& check) {
  if (found.fields_problem) {
    check.damage.push_back(damage_of_fields(fields_name(found.path), found.fields_problem->what()));
  }
  if (found.fields_path.empty()) return;
  const FieldCheck fields = check_fields(transport, found.fields_path, found.records.front().generation);
  check.fields_checked = fields.fields;
  check.damage.insert(check.damage.end(), fields.damage.begin(), fields.damage.end());
  if (fields.fields >= found.fields || !fields.damage.empty()) return;
  check.damage.push_back(damage_of_fields(
      found.fields_path, fmt::format("{}: the set has {} fields, of which {} are there: the file was cut",
                                     found.fields_path, found.fields, fields.fields)));
}

}  // namespace lq::checkpoint
