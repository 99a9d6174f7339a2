// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The names of the codes, the exit code of each, and Error itself.
#include "base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/checked.hpp"

namespace lq {

std::string_view name(Code code) noexcept {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::ranks_disagree:
      return "ranks_disagree";
    case Code::wrong_state:
      return "wrong_state";
    case Code::unsupported:
      return "unsupported";
    case Code::not_found:
      return "not_found";
    case Code::exists:
      return "exists";
    case Code::no_permission:
      return "no_permission";
    case Code::no_space:
      return "no_space";
    case Code::io:
      return "io";
    case Code::unknown_format:
      return "unknown_format";
    case Code::malformed:
      return "malformed";
    case Code::truncated:
      return "truncated";
    case Code::checksum_mismatch:
      return "checksum_mismatch";
    case Code::no_such_record:
      return "no_such_record";
    case Code::out_of_memory:
      return "out_of_memory";
    case Code::too_large:
      return "too_large";
    case Code::communication:
      return "communication";
    case Code::internal:
      return "internal";
  }
  return "unknown";  // a number that came through the C API or from another rank
}

Error::Error(Code code, const std::string& sentence, ErrorFacts facts)
    : std::runtime_error(sentence), code_(code), facts_(std::move(facts)) {}

int Error::exit_code() const noexcept {
  switch (code_) {
    case Code::ok:
      return 0;
    case Code::checksum_mismatch:
      return 1;
    case Code::invalid_argument:
    case Code::ranks_disagree:
    case Code::wrong_state:
    case Code::unsupported:
    case Code::exists:
      return 2;
    case Code::not_found:
    case Code::unknown_format:
    case Code::malformed:
    case Code::truncated:
    case Code::no_such_record:
    case Code::too_large:
      return 3;
    case Code::no_permission:
    case Code::no_space:
    case Code::io:
    case Code::out_of_memory:
    case Code::communication:
    case Code::internal:
      return 4;
  }
  return 4;
}

}  // namespace lq

namespace lq::base {

// What to do about an errno that occurs when a field is read or written.

namespace {

constexpr std::pair<int, std::string_view> remedies[] = {
    {ENOENT, "check the path and that its directory exists"},
    {ENOTDIR, "a part of the path is a file; check the path"},
    {EISDIR, "it is a directory; name a file in it"},
    {EACCES, "check the permissions of the file and of its directory"},
    {EPERM, "check the permissions of the file and of its directory"},
    {EROFS, "the file system is mounted read-only; choose another directory"},
    {ENOSPC, "free some space or choose another file system"},
    {EDQUOT, "disk quota exceeded; delete files or request a larger quota"},
    {EFBIG, "check the file size limits of the shell (ulimit -f) and of the file system"},
    {EEXIST, "choose another name, or replace it with options.overwrite = true"},
    {ENOMEM, "use more ranks or a smaller block size"},
    {EMFILE, "too many files are open in this process; raise ulimit -n"},
    {ENFILE, "too many files are open on this machine"},
    {ENAMETOOLONG, "choose a shorter name"},
    {ELOOP, "the symbolic links of the path form a circle"},
    {EXDEV, "keep temporary and final name on one file system"},
    {ETXTBSY, "another program is using it; try again later"},
    {EBUSY, "another program is using it; try again later"},
    {ESTALE, "the file was replaced on the server; open it again"},
    {EIO, "the storage reports a fault; check the disk and the system log"},
};

std::string_view remedy(int system_errno) noexcept {
  const auto* const found = std::ranges::find(remedies, system_errno, &std::pair<int, std::string_view>::first);
  return found == std::end(remedies) ? std::string_view() : found->second;
}

}  // namespace

Code code_of_errno(int system_errno) noexcept {
  switch (system_errno) {
    case ENOENT:
      return Code::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::no_permission;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Code::no_space;
    case EEXIST:
      return Code::exists;
    case ENOMEM:
      return Code::out_of_memory;
    default:
      return Code::io;
  }
}

Error error_with(Code code, ErrorFacts facts, fmt::string_view sentence, fmt::format_args values) {
  std::string text = facts.path.empty() ? "" : facts.path + ": ";
  text += fmt::vformat(sentence, values);
  return Error(code, text, std::move(facts));
}

Error errno_error(const std::string& path, const std::string& what, int system_errno) {
  std::string sentence = fmt::format("{}: cannot {}: {}", path.empty() ? "an empty path" : path, what,
                                     std::system_category().message(system_errno));
  if (const std::string_view hint = remedy(system_errno); !hint.empty()) sentence += fmt::format(" ({})", hint);
  ErrorFacts facts;
  facts.path = path;
  facts.system_errno = system_errno;
  return Error(code_of_errno(system_errno), sentence, std::move(facts));
}

// Overflow as an error that names the quantity.

namespace {

[[noreturn]] void overflow(std::uint64_t a, char operation, std::uint64_t b, std::string_view what) {
  base::fail(Code::too_large, {}, "{}: {} {} {} does not fit 64 bits", what, a, operation, b);
}

}  // namespace

std::uint64_t add_or_throw(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (const auto sum = checked_add(a, b)) return *sum;
  overflow(a, '+', b, what);
}

std::uint64_t multiply_or_throw(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (const auto product = checked_multiply(a, b)) return *product;
  overflow(a, '*', b, what);
}

}  // namespace lq::base
