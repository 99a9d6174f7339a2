// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Saves one checkpoint, from an empty folder to a proven manifest. Between its two halves it runs in the background:
// a thread writes the streams, fields are transfers in flight.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <limequat/async.hpp>
#include <limequat/checkpoints.hpp>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "sets/checkpoints/directory.hpp"

namespace lq::sets {

// The borrowed contents of a checkpoint to be saved, and facts about it.
struct SaveRequest {
  std::uint64_t step = 0;
  CheckpointContents contents;
  Manifest manifest = {};  // members not derived from the contents: save, piece; at the root
};

// The name of a field's file in the folder of the checkpoint.
std::string file_of_field(std::size_t number);

// Local. Arguments that all ranks must agree on; invalid_argument.
std::vector<comm::StatedArgument> stated(const SaveRequest& request, const CheckpointsOptions& options, int ranks);

class Saving {
 public:
  // Local.
  Saving(CheckpointDirectory& directory, const Communicator& communicator, const CheckpointsOptions& options,
         SaveRequest request);
  ~Saving();  // cancels a save in progress, on all ranks
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;

  // Collective. Returns when everything is running.
  void begin();
  // Local.
  bool test();
  // Collective. The rest, up to a folder whose contents were read back, before its publication.
  void complete();
  // Removes everything. All ranks call it, because ranks that exchange messages take part until no rank needs them.
  void give_up() noexcept;
  // It is published: nothing is left to cancel.
  void release() noexcept { unfinished_.clear(); }

  const std::string& unfinished() const noexcept { return unfinished_; }  // at the root: its name until publication
  const Manifest& manifest() const noexcept { return request_.manifest; }
  double seconds() const noexcept { return watch_.seconds(); }

 private:
  const std::string& path() const noexcept { return path_; }
  void write_states();
  void begin_streams();
  void begin_fields();
  void write_streams();
  void end_streams();
  void compare_states() const;
  void compare_streams() const;
  void write_manifest();

  CheckpointDirectory& directory_;
  Communicator communicator_;
  const CheckpointsOptions& options_;
  SaveRequest request_;
  base::Stopwatch watch_;
  std::string unfinished_, path_, streams_path_;
  std::optional<MultifileWriter> writer_;
  std::vector<Pending> fields_;
  int process_;  // the process that started it
  std::unique_ptr<std::thread> thread_;
  std::atomic<bool> is_given_up_{false}, are_streams_written_{false};
  std::exception_ptr failure_;  // of the thread
};

}  // namespace lq::sets
