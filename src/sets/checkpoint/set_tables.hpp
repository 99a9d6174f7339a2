// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set found and read by a group of ranks: what all must know of it, and the tables, each on one rank.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/multifile.hpp>

#include "comm/comm.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/record.hpp"
#include "sets/checkpoint/share.hpp"
#include "storage/pinned_transport.hpp"

namespace lq::sets {

struct SetTables {
  MultifileInfo info;
  std::optional<SetRecord> record;      // of file 0; nothing: written by another program
  std::optional<Error> fields_problem;  // why there are fewer fields than there should be
  Parts parts;
  std::map<std::size_t, PartTables> mine;  // of those that this rank reads
  format::sion::FixedHead head;            // of file 0; of a set that is one part on rank 0
  std::vector<storage::Identity> opened;   // of each file, by whoever looked into it; inode 0: not known
};

// Tasks by their numbers in the set, which may be more than there are.
struct TaskRange {
  std::uint64_t begin = 0, end = 0;
};

// How a set is read.
struct SetReading {
  bool counts_losses = true;  // what a repair did not find of streams is a part of them
  MissingFiles missing = MissingFiles::refused;
  // To be gone on with: this rank's tasks in the order of ranks. The first who has tasks of a file reads its tables.
  std::optional<TaskRange> mine = {};  // on all ranks or none
};

// Collective. Throws what find_set() throws. Where the set has several files whose tasks follow each other as the files
// do, which ours have, and nothing is wrong with it, each file is a part, read by one rank. Any other set is one part,
// as rank 0 finds it.
SetTables read_tables(storage::PinnedTransport& transport, const std::string& path, comm::Comm& comm,
                      const SetReading& how = {});

// What rank 0 tells all of a set of the given number of files that is as it should be, with paths of usual length.
std::uint64_t told_bytes(std::uint64_t files);

}  // namespace lq::sets
