// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything but MPI, which is in <limequat/mpi.hpp>.
#pragma once

#include <limequat/language.hpp>

#include <limequat/async.hpp>
#include <limequat/catalog.hpp>
#include <limequat/checkpoints.hpp>
#include <limequat/diagnose.hpp>
#include <limequat/ensemble.hpp>
#include <limequat/error.hpp>
#include <limequat/field.hpp>
#include <limequat/file.hpp>
#include <limequat/file_system.hpp>
#include <limequat/grid.hpp>
#include <limequat/hdf5.hpp>
#include <limequat/inspect.hpp>
#include <limequat/interrupt.hpp>
#include <limequat/json.hpp>
#include <limequat/lattice.hpp>
#include <limequat/machine.hpp>
#include <limequat/memory.hpp>
#include <limequat/metadata.hpp>
#include <limequat/modes.hpp>
#include <limequat/multifile.hpp>
#include <limequat/multifile_plan.hpp>
#include <limequat/node_cache.hpp>
#include <limequat/options.hpp>
#include <limequat/partition.hpp>
#include <limequat/physics.hpp>
#include <limequat/plan.hpp>
#include <limequat/protect.hpp>
#include <limequat/qcdml.hpp>
#include <limequat/repack.hpp>
#include <limequat/repartition.hpp>
#include <limequat/region_writer.hpp>
#include <limequat/report.hpp>
#include <limequat/squeeze.hpp>
#include <limequat/staging.hpp>
#include <limequat/stall.hpp>
#include <limequat/storage.hpp>
#include <limequat/sums.hpp>
#include <limequat/version.hpp>
#include <limequat/view.hpp>
