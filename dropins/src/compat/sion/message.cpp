// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one place of the drop-in that prints.
#include "compat/sion/message.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "multifile/mode.hpp"

namespace lq::compat::sion {
namespace {

thread_local int silenced = 0;
std::atomic<int (*)()> thread_number{nullptr};

bool is_selected(const char* variable, int number) {
  const char* const wanted = multifile::variable(variable);
  if (wanted == nullptr || number < 0) return true;
  const int selected = std::atoi(wanted);
  return selected < 0 || selected == number;
}

void print(const char* level, int rc, int rank, const std::string& text) {
  if (silenced > 0) return;
  const auto ask = thread_number.load();
  const int thread = ask == nullptr ? -1 : ask();
  if (!is_selected("SION_ERROR_MSG_RANK", rank) || !is_selected("SION_ERROR_MSG_THREAD", thread)) return;
  std::string line = fmt::format("{} on rank {}", level, rank);
  if (thread >= 0) line += fmt::format(", thread {}", thread);
  line += fmt::format(", rc={}: {}\n", rc, text);
  std::fputs(line.c_str(), stderr);
}

}  // namespace

int complain(int rc, int rank, const std::string& text) {
  print("SION_ERROR_RETURN", rc, rank, text);
  return rc;
}

void warn(int rc, int rank, const std::string& text) { print("SION_ERROR_WARN", rc, rank, text); }

Silence::Silence() noexcept { ++silenced; }
Silence::~Silence() { --silenced; }

void set_thread_number(int (*ask)()) noexcept { thread_number = ask; }

}  // namespace lq::compat::sion
