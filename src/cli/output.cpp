// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::cli {
namespace {

bool is_obeyed(std::string_view character) noexcept {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x20) return first != '\n' && first != '\t';
  // U+0080 to U+009F are control characters, too.
  return first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    if (length > 0 && !is_obeyed(text.substr(0, length))) {
      result += text.substr(0, length);
      text.remove_prefix(length);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
    }
  }
  return result;
}

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
  put(is_terminal_ ? harmless(text) : text);
}

void Output::write_data(std::string_view bytes, bool under_launcher) {
  if (under_launcher || !is_terminal_) {
    put(bytes);
  } else {
    put(harmless(bytes));
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
