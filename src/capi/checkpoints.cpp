// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders of checkpoints.
#include <limequat/checkpoints.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <limequat/error.hpp>

#include "base/json_writer.hpp"
#include "capi/call.hpp"
#include "capi/handles.hpp"
#include "capi/transfer_call.hpp"

using namespace lq::capi;  // NOLINT: the functions of the interface are outside of it

struct lq_checkpoints {
  lq::Checkpoints checkpoints;
  lq::CheckpointContents contents = {};  // for the next save
};

struct lq_checkpoint {
  lq::Checkpoint checkpoint;
  lq_communicator group;  // the communicator that loaded it
};

namespace {

lq::CheckpointContents take_contents(lq_checkpoints* checkpoints) {
  return std::exchange(given(checkpoints, "checkpoints")->contents, {});
}

const std::vector<std::byte>& state_named(const lq_checkpoint* checkpoint, const char* name) {
  const lq::Checkpoint& loaded = given(checkpoint, "checkpoint")->checkpoint;
  const auto found = loaded.state().find(text(name, "name"));
  if (found != loaded.state().end()) return found->second;
  std::string names;
  for (const auto& one : loaded.state()) names += (names.empty() ? "" : ", ") + one.first;
  throw lq::Error(
      lq::Code::no_such_record,
      loaded.path() + ": the checkpoint has no state \"" + name + "\"; it has " + (names.empty() ? "none" : names),
      {.path = loaded.path(), .record = name});
}

std::string info_of(const lq::Checkpoint& checkpoint) {
  lq::base::JsonWriter json;
  json.begin_object().member("step", checkpoint.step()).member("path", checkpoint.path());
  json.member("date", checkpoint.date()).member("ranks", checkpoint.ranks()).member("tasks", checkpoint.tasks());
  json.member("fields", checkpoint.fields()).key("field_files").begin_array();
  for (const std::string& name : checkpoint.fields()) json.value(checkpoint.field_path(name));
  json.end_array().key("states").begin_array();
  for (const auto& [name, bytes] : checkpoint.state()) json.value(name);
  return json.end_array().member("warnings", checkpoint.warnings()).end_object().take();
}

}  // namespace

lq_status lq_checkpoints_open(const char* folder, const lq_checkpoints_options* options, lq_checkpoints** checkpoints) {
  return guarded([&] {
    const lq::Communicator communicator = group_of(options);
    auto [slot, path, how] = agreed(communicator, [&] {
      return std::tuple(HandleSlot(checkpoints, "checkpoints"), text(folder, "folder"), options_of(options));
    });
    slot.fill(lq::Checkpoints(path, communicator, how));
  });
}

void lq_checkpoints_free(lq_checkpoints* checkpoints) { delete checkpoints; }

lq_status lq_checkpoints_add_stream(lq_checkpoints* checkpoints, const void* data, uint64_t bytes) {
  return guarded([&] { given(checkpoints, "checkpoints")->contents.streams.push_back(bytes_at(data, bytes, "data")); });
}

lq_status lq_checkpoints_add_field(lq_checkpoints* checkpoints, const char* name, const lq_grid* grid, lq_field field,
                                   const lq_write_options* options) {
  return guarded([&] {
    given(checkpoints, "checkpoints");
    auto call = write_call(text(name, "name").c_str(), field, options);
    checkpoints->contents.fields.push_back(
        {std::move(call.path), grid_of(grid), std::move(call.field), std::move(call.options)});
  });
}

lq_status lq_checkpoints_add_state(lq_checkpoints* checkpoints, const char* name, const void* data, uint64_t bytes) {
  return guarded([&] {
    const auto span = bytes_at(data, bytes, "data");
    given(checkpoints, "checkpoints")->contents.state[text(name, "name")] = {span.begin(), span.end()};
  });
}

lq_status lq_checkpoints_forget_added(lq_checkpoints* checkpoints) {
  return guarded([&] { take_contents(checkpoints); });
}

lq_status lq_checkpoints_save(lq_checkpoints* checkpoints, uint64_t step, char** json) {
  return guarded([&] {
    const lq::CheckpointContents contents = take_contents(checkpoints);
    hand_out_json(checkpoints->checkpoints.save(step, contents), json);
  });
}

lq_status lq_checkpoints_save_async(lq_checkpoints* checkpoints, uint64_t step) {
  return guarded([&] {
    const lq::CheckpointContents contents = take_contents(checkpoints);
    checkpoints->checkpoints.save_async(step, contents);
  });
}

lq_status lq_checkpoints_test(lq_checkpoints* checkpoints, int* done) {
  return guarded([&] {
    given(done, "done");
    *done = given(checkpoints, "checkpoints")->checkpoints.test() ? 1 : 0;
  });
}

lq_status lq_checkpoints_wait(lq_checkpoints* checkpoints, char** json) {
  return guarded([&] {
    const auto report = given(checkpoints, "checkpoints")->checkpoints.wait();
    if (json != nullptr) hand_out(report ? lq::to_json(*report) : "null", json);
  });
}

lq_status lq_checkpoints_load_newest(lq_checkpoints* checkpoints, lq_checkpoint** checkpoint) {
  return guarded([&] {
    const lq::Communicator communicator = given(checkpoints, "checkpoints")->checkpoints.communicator();
    auto slot = agreed(communicator, [&] { return HandleSlot(checkpoint, "checkpoint"); });
    std::optional<lq::Checkpoint> found = checkpoints->checkpoints.load_newest();
    if (!found) {
      *checkpoint = nullptr;
    } else {
      slot.fill(std::move(*found), lq_communicator{communicator});
    }
  });
}

lq_status lq_checkpoints_reject(lq_checkpoints* checkpoints, const lq_checkpoint* checkpoint, const char* reason) {
  return guarded([&] {
    const lq::Communicator communicator = given(checkpoints, "checkpoints")->checkpoints.communicator();
    const std::string why = agreed(communicator, [&] {
      given(checkpoint, "checkpoint");
      return text(reason, "reason");
    });
    checkpoints->checkpoints.reject(checkpoint->checkpoint, why);
  });
}

lq_status lq_checkpoints_forget_marks(lq_checkpoints* checkpoints) {
  return guarded([&] { given(checkpoints, "checkpoints")->checkpoints.forget_marks(); });
}

lq_status lq_checkpoints_prune(lq_checkpoints* checkpoints, char** json) {
  return guarded([&] {
    const std::vector<std::string> removed = given(checkpoints, "checkpoints")->checkpoints.prune();
    if (json != nullptr) hand_out(lq::base::JsonWriter().array(removed).take(), json);
  });
}

void lq_checkpoint_free(lq_checkpoint* checkpoint) { delete checkpoint; }

uint64_t lq_checkpoint_step(const lq_checkpoint* checkpoint) {
  return checkpoint == nullptr ? 0 : checkpoint->checkpoint.step();
}

lq_status lq_checkpoint_info(const lq_checkpoint* checkpoint, char** json) {
  return guarded([&] { hand_out(info_of(given(checkpoint, "checkpoint")->checkpoint), given(json, "json")); });
}

lq_status lq_checkpoint_state(const lq_checkpoint* checkpoint, const char* name, const void** data, uint64_t* bytes) {
  return guarded([&] {
    given(data, "data");
    given(bytes, "bytes");
    const std::vector<std::byte>& state = state_named(checkpoint, name);
    *data = state.data();
    *bytes = state.size();
  });
}

lq_status lq_checkpoint_read_state(const lq_checkpoint* checkpoint, const char* name, void* data, uint64_t bytes) {
  return guarded([&] {
    if (bytes > 0) given(data, "data");
    const std::vector<std::byte>& state = state_named(checkpoint, name);
    if (state.size() != bytes) {
      reject(checkpoint->checkpoint.path() + ": the state \"" + name + "\" has " + std::to_string(state.size()) +
             " bytes, not " + std::to_string(bytes));
    }
    std::copy(state.begin(), state.end(), static_cast<std::byte*>(data));
  });
}

lq_status lq_checkpoint_streams(const lq_checkpoint* checkpoint, const lq_multifile_read_options* options,
                                lq_multifile_reader** reader) {
  lq_multifile_read_options how{};
  std::string path;
  const lq_status status = guarded([&] {
    const lq::Communicator communicator = given(checkpoint, "checkpoint")->group.communicator;
    path = agreed(communicator, [&] {
      how = given_options(options);
      return checkpoint->checkpoint.streams().info().path;
    });
    how.struct_size = sizeof how;
    how.communicator = &checkpoint->group;
  });
  return status == LQ_OK ? lq_multifile_open(path.c_str(), &how, reader) : status;
}

lq_status lq_checkpoint_read_field(const lq_checkpoint* checkpoint, const char* name, const lq_grid* grid,
                                   lq_field field, const lq_read_options* options) {
  return guarded([&] {
    const auto call = agreed(grid_of(grid).communicator(), [&] {
      given(checkpoint, "checkpoint");
      return read_call(text(name, "name").c_str(), field, options);
    });
    hand_out_report(checkpoint->checkpoint.read_field(call.path, grid->grid, call.field, call.options), call);
  });
}

lq_status lq_checkpoints_list(const char* folder, const lq_checkpoint_list_options* options, char** json) {
  return answered(json, [&] { return lq::list_checkpoints(text(folder, "folder"), options_of(options)); });
}
