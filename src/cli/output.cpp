// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/text.hpp"

namespace lq::cli {
std::string on_one_line(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\\x0a") : std::string(1, c);
  return result;
}

Output::Output(bool prints) : prints_(prints), is_terminal_(::isatty(STDOUT_FILENO) == 1) {}

void Output::call(std::string path, std::string name) {
  path_ = std::move(path);
  name_ = std::move(name);
}

std::string Output::named(std::string_view text) const {
  std::string result(text);
  if (path_.empty()) return result;
  for (std::size_t at = 0; (at = result.find(path_, at)) != std::string::npos; at += name_.size()) {
    result.replace(at, path_.size(), name_);
  }
  return result;
}

void Output::write(std::string_view bytes) {
  const std::string text = named(bytes);
  put(is_terminal_ ? base::printable_text(text) : text);
}

void Output::write_data(std::string_view bytes, bool under_launcher) {
  if (under_launcher || !is_terminal_) {
    put(bytes);
  } else {
    put(base::printable_text(bytes));
  }
}

void Output::put(std::string_view bytes) {
  if (!prints_ || failure_ != 0 || bytes.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) failure_ = errno != 0 ? errno : EIO;
}

void Output::line(std::string_view text) { write(on_one_line(text) + '\n'); }

int Output::finish() {
  if (!prints_) return 0;
  if (std::fflush(stdout) != 0 && failure_ == 0) failure_ = errno != 0 ? errno : EIO;
  return failure_ == EPIPE ? 0 : failure_;
}

}  // namespace lq::cli
