// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A repair judges what it is given, and what it is about to write, by the examination that lq::verify() makes.
#pragma once

#include <string>

#include <limequat/inspect.hpp>
#include <limequat/repack.hpp>

#include "base/byte_source.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// A file that cannot even be scanned is unreadable or foreign, with the error as a finding. Throws only what cannot be
// read for reasons of the system.
Verification examine(storage::Transport& transport, const std::string& path, const RepackOptions& options);
// `bytes` as the file of the name `path`, which is not written yet.
Verification examine(storage::Transport& transport, base::ByteSource& bytes, const std::string& path,
                     const RepackOptions& options);

// Adds the verdict, and the errors that are not among the findings already. A verdict that is not OK has an error.
void conclude(RepackReport& report, const Verification& examined);
// Of a file that is in order.
RepackReport nothing_to_repair(const Verification& examined);
// Of a file that is not, although nothing can be put right: the error that says why.
[[noreturn]] void refuse_to_repair(const Verification& examined);

}  // namespace lq::sets
