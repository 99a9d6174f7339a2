// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What writing by several ranks and committing by rename need of a file system, tried through a transport. All are
// collective and give the same answer on all ranks.
#pragma once

#include <limequat/survey.hpp>

#include "comm/comm.hpp"
#include "machine/file_system.hpp"
#include "survey/probing.hpp"

namespace lq::survey {

// Whether a file can be made, written, read and removed at all; without that the others make no sense.
Probe probe_folder(comm::Comm& comm, Scratch& scratch);
// Of all ranks that create one file, one does.
Probe probe_exclusive_create(comm::Comm& comm, Scratch& scratch);
// The new file replaces the old one, for all ranks.
Probe probe_rename(comm::Comm& comm, Scratch& scratch);
// What was never written reads as zeros.
Probe probe_holes(comm::Comm& comm, Scratch& scratch);
// Bytes around 2 GiB and 4 GiB come back. Needs holes, or else space.
Probe probe_large_offsets(comm::Comm& comm, Scratch& scratch, const machine::FileSystem& file_system);
// File and directory are synced.
Probe probe_sync(comm::Comm& comm, Scratch& scratch);
// Ranks write halves of pages alternately; all of them find all halves after opening anew.
Probe probe_page_edges(comm::Comm& comm, Scratch& scratch, const machine::FileSystem& file_system);

}  // namespace lq::survey
