// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The requests of a mode string and the environment: words separated by commas, as in "bw,posix,keyval=inline".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <limequat/catalog.hpp>

namespace lq::multifile {

enum class Direction { none, read, write };

// The basis of a multifile: stdio streams, which can be returned to the caller, or descriptors.
enum class Access { stdio, descriptors };

// `any`: whatever the file has.
enum class KeyRequest { any, none, inline_records };

// How tasks are grouped in collective mode; at most one of the numbers is positive. Neither: chosen automatically.
struct CollectorRequest {
  bool on = false;
  std::int64_t tasks_each = 0;
  std::int64_t collectors = 0;

  // Tasks per collector in a file of that many tasks, 0: chosen automatically.
  std::int64_t tasks_each_of(std::int64_t tasks) const noexcept;
};

struct Mode {
  Direction direction = Direction::none;
  Access access = Access::stdio;
  CollectorRequest collectors = {};
  bool merges = false;  // data of a group go to the logical file of its collector
  std::optional<KeyRequest> keys = {};
  std::optional<ByteOrder> data_order = {};  // declared; data are never converted
  std::int32_t buddies = 0;                  // copies with neighbours
  std::int64_t buffer_bytes = 0;             // buffer before the file; -1: a block of the file system
};

// Local. A variable of the environment, or the one with an L in front, as in the renamed edition of SIONlib.
// nullptr: neither is set.
const char* variable(const char* name);
// Local. Unknown words are ignored, the last of contradicting ones wins.
Mode parse_mode(std::string_view words);
// Local. Applies SION_COLLSIZE, SION_COLLNUM, SION_KEYVALUE_MODE and SION_BUFFERSIZE; the mode string overrides
// SION_KEYVALUE_MODE.
Mode with_environment(Mode mode);

}  // namespace lq::multifile
