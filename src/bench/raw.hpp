// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The raw limit: what any program could reach at best with these bytes in this directory. Every rank moves its share by
// plain pwrite or pread in pieces of 1 MiB, one share after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bench/stages.hpp"

namespace lq::bench {

// Local. Creates the file where it is missing. `sync`: and waits for the disk. How long each stage took.
StageSeconds raw_write(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes, bool sync);
StageSeconds raw_read(const std::string& path, std::uint64_t offset, std::span<std::byte> bytes);
// Local. Waits until the disk has all of the file, whoever wrote it.
void sync_file(const std::string& path);
// Local. Asks the system to forget what it holds of the file, so that the next read comes from the disk.
void drop_from_cache(const std::string& path);

}  // namespace lq::bench
