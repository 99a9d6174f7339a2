// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a mode string and the environment ask for: words separated by commas, as in "bw,posix,keyval=inline".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <limequat/catalog.hpp>

namespace lq::multifile {

enum class Direction { none, read, write };

// What lies under a multifile: stdio streams, which can be handed out, or descriptors.
enum class Access { stdio, descriptors };

// `any`: whatever the file has.
enum class KeyWish { any, none, inline_records };

// How tasks are grouped in collective mode; at most one of the numbers is positive. Neither: a choice is made.
struct CollectorWish {
  bool on = false;
  std::int64_t tasks_each = 0;
  std::int64_t collectors = 0;

  // Tasks per collector in a file of that many tasks, 0: choose.
  std::int64_t tasks_each_of(std::int64_t tasks) const noexcept;
};

struct Mode {
  Direction direction = Direction::none;
  Access access = Access::stdio;
  CollectorWish collectors = {};
  bool merges = false;  // data of a group go to the logical file of its collector
  std::optional<KeyWish> keys = {};
  std::optional<ByteOrder> data_order = {};  // declared; data are never converted
  std::int32_t buddies = 0;                  // copies with neighbours
  std::int64_t buffer_bytes = 0;             // before the file; -1: a block of the file system
};

// Local. A variable of the environment, or the one with an L in front, as the renamed edition of SIONlib calls it.
// nullptr: neither is set.
const char* variable(const char* name);
// Local. Unknown words are ignored, the last of contradicting ones wins.
Mode parse_mode(std::string_view words);
// Local. What SION_COLLSIZE, SION_COLLNUM, SION_KEYVALUE_MODE and SION_BUFFERSIZE say; the mode string wins over
// SION_KEYVALUE_MODE.
Mode with_environment(Mode mode);

}  // namespace lq::multifile
