// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The words of a mode string.
#include "multifile/mode.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

namespace lq::multifile {
namespace {

// As atoi: 0 if it is not a number.
std::int64_t number_of(std::string_view text) noexcept {
  std::int64_t number = 0;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<KeyRequest> key_wish_of(std::string_view value) noexcept {
  if (value.empty() || value == "inline" || value == "default") return KeyRequest::inline_records;
  if (value == "none") return KeyRequest::none;
  if (value == "unknown") return KeyRequest::any;
  return std::nullopt;  // no program ever wrote "meta" and "hash"
}

void set_tasks_each(CollectorRequest& asked_for, std::int64_t tasks) noexcept {
  asked_for.collectors = 0;
  asked_for.tasks_each = std::max<std::int64_t>(tasks, 0);
}

struct Word {
  std::string_view name;
  std::string_view value;
};

Word split_word(std::string_view word) noexcept {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {word, {}};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

void apply_direction(Mode& mode, std::string_view word) noexcept {
  if (word == "r" || word == "rb" || word == "br") mode.direction = Direction::read;
  if (word == "w" || word == "wb" || word == "bw") mode.direction = Direction::write;
}

void apply(Mode& mode, const Word& word, bool& collectors_off) {
  apply_direction(mode, word.name);
  if (word.name == "ansi") mode.access = Access::stdio;
  if (word.name == "posix") mode.access = Access::descriptors;
  if (word.name == "collective") mode.collectors.on = true;
  if (word.name == "cmerge" || word.name == "collectivemerge") mode.merges = true;
  if (word.name == "collsize") {
    set_tasks_each(mode.collectors, number_of(word.value));
    collectors_off = number_of(word.value) == 0;
  }
  if (word.name == "keyval") {
    if (const auto asked_for = key_wish_of(word.value)) mode.keys = asked_for;
  }
  if (word.name == "endianness" && word.value == "big") mode.data_order = ByteOrder::big;
  if (word.name == "endianness" && word.value == "little") mode.data_order = ByteOrder::little;
  if (word.name == "buddy") {
    mode.buddies = static_cast<std::int32_t>(std::clamp<std::int64_t>(number_of(word.value), 1, 99));
  }
}

}  // namespace

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : std::getenv(('L' + std::string(name)).c_str());
}

std::int64_t CollectorRequest::tasks_each_of(std::int64_t tasks) const noexcept {
  if (collectors <= 0) return std::min(tasks_each, tasks);
  const std::int64_t number = std::min(collectors, tasks);
  return number == 0 ? 0 : (tasks + number - 1) / number;
}

Mode parse_mode(std::string_view words) {
  Mode mode;
  bool collectors_off = false;
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    apply(mode, split_word(words.substr(0, comma)), collectors_off);
    words.remove_prefix(std::min(comma + 1, words.size()));
  }
  if (collectors_off) mode.collectors.on = false;
  return mode;
}

Mode with_environment(Mode mode) {
  if (const char* const size = variable("SION_COLLSIZE")) {
    mode.collectors.on = number_of(size) != 0;
    set_tasks_each(mode.collectors, number_of(size));
  } else if (const char* const number = variable("SION_COLLNUM"); number != nullptr && number_of(number) > 0) {
    mode.collectors = {true, 0, number_of(number)};
  }
  if (const char* const keys = variable("SION_KEYVALUE_MODE"); keys != nullptr && !mode.keys && *keys != '\0') {
    mode.keys = key_wish_of(keys);
  }
  if (const char* const bytes = variable("SION_BUFFERSIZE")) {
    mode.buffer_bytes = std::max<std::int64_t>(number_of(bytes), -1);
  }
  return mode;
}

}  // namespace lq::multifile
