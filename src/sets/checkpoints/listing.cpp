// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lists a folder of checkpoints, for people: by one process, which changes nothing.
#include <utility>

#include <limequat/checkpoints.hpp>
#include <limequat/error.hpp>

#include "base/json_writer.hpp"
#include "base/path.hpp"
#include "comm/alone.hpp"
#include "sets/checkpoints/directory.hpp"

namespace lq {
namespace sets {
namespace {

CheckpointEntry describe_listed(const CheckpointDirectory& directory, const Listed& listed,
                                const CheckpointListOptions& options) {
  const Manifest& manifest = listed.manifest;
  CheckpointEntry entry{.name = listed.name,
                        .step = listed.step(),
                        .save = manifest.save,
                        .date = manifest.date,
                        .bytes = manifest.bytes(),
                        .ranks = listed.problem ? 0 : manifest.ranks,
                        .tasks = manifest.tasks,
                        .fields = {},
                        .problems = listed.marks.sentences};
  for (const NamedField& field : manifest.fields) entry.fields.push_back(field.name);
  if (options.verify == Verify::none) entry.state = CheckpointState::not_checked;
  try {
    if (listed.problem) throw *listed.problem;
    if (options.verify != Verify::none) {
      prove(Communicator().engine(), directory.transport(), directory.of(listed.name), manifest, options.threads);
    }
  } catch (const Error& error) {
    entry.state = CheckpointState::bad;
    entry.problems.emplace_back(error.what());
  }
  if (listed.marks.is_left_alone()) entry.state = CheckpointState::rejected;
  return entry;
}

CheckpointEntry describe_unfinished(const CheckpointDirectory& directory, const std::string& name, bool is_held) {
  CheckpointEntry entry{.name = name, .fields = {}, .problems = {}};
  entry.state = is_held ? CheckpointState::being_written : CheckpointState::leftover;
  std::vector<std::string> files;
  base::names_in(directory.of(name), files);
  for (const std::string& file : files) {
    try {
      entry.bytes += directory.transport().identity(directory.of(name) + "/" + file).bytes;
    } catch (const Error&) {
      // It is gone, or has been renamed.
    }
  }
  return entry;
}

}  // namespace
}  // namespace sets

std::string_view name(CheckpointState state) noexcept {
  switch (state) {
    case CheckpointState::valid:
      return "valid";
    case CheckpointState::not_checked:
      return "not checked";
    case CheckpointState::bad:
      return "bad";
    case CheckpointState::rejected:
      return "rejected";
    case CheckpointState::being_written:
      return "being written";
    case CheckpointState::leftover:
      return "leftover";
  }
  return "unknown";
}

CheckpointList list_checkpoints(const std::string& folder, const CheckpointListOptions& options) {
  return comm::alone([&] {
    const sets::CheckpointDirectory directory(folder);
    CheckpointList list;
    list.folder = directory.path();
    sets::Listing found = directory.list();
    list.holder = directory.holder();
    for (const sets::Listed& one : found.checkpoints)
      list.entries.push_back(sets::describe_listed(directory, one, options));
    for (const std::string& name : found.unfinished) {
      list.entries.push_back(sets::describe_unfinished(directory, name, !list.holder.empty()));
    }
    list.foreign = std::move(found.foreign);
    return list;
  });
}

void put(base::JsonWriter& json, const CheckpointEntry& entry) {
  json.begin_object().member("name", entry.name).member("state", name(entry.state)).member("step", entry.step);
  json.member("save", entry.save).member("date", entry.date).member("bytes", entry.bytes);
  json.member("ranks", entry.ranks).member("tasks", entry.tasks).member("fields", entry.fields);
  json.member("problems", entry.problems).end_object();
}

std::string to_json(const CheckpointList& list) {
  base::JsonWriter json;
  json.begin_object().member("folder", list.folder).member("checkpoints", list.entries);
  json.member("foreign", list.foreign).text_member("holder", list.holder);
  return json.end_object().take();
}

std::string to_json(const CheckpointReport& report) {
  base::JsonWriter json;
  json.begin_object().member("step", report.step).member("path", report.path).member("bytes", report.bytes);
  json.member("seconds", report.seconds).member("removed", report.removed).member("warnings", report.warnings);
  return json.end_object().take();
}

}  // namespace lq
