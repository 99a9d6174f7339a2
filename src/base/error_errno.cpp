// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What errno means to somebody who wanted to read or write a field, and what to do about it.
#include "base/error_errno.hpp"

#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace lq::base {
namespace {

std::string_view remedy(int system_errno) noexcept {
  switch (system_errno) {
    case ENOENT:
      return "check the path and that its directory exists";
    case ENOTDIR:
      return "a part of the path is a file; check the path";
    case EISDIR:
      return "it is a directory; name a file in it";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and of its directory";
    case EROFS:
      return "the file system is mounted read-only; choose another directory";
    case ENOSPC:
      return "free some space or choose another file system";
    case EDQUOT:
      return "disk quota exceeded; delete files or request a larger quota";
    case EFBIG:
      return "check the file size limits of the shell (ulimit -f) and of the file system";
    case EEXIST:
      return "choose another name, or allow overwriting";
    case ENOMEM:
      return "use more ranks or a smaller block size";
    case EMFILE:
      return "too many files are open in this process; raise ulimit -n";
    case ENFILE:
      return "too many files are open on this machine";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ELOOP:
      return "the symbolic links of the path form a circle";
    case EXDEV:
      return "keep temporary and final name on one file system";
    case ETXTBSY:
    case EBUSY:
      return "another program is using it; try again later";
    case ESTALE:
      return "the file was replaced on the server; open it again";
    case EIO:
      return "the storage reports a fault; check the disk and the system log";
    default:
      return {};
  }
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

Error errno_error(const std::string& path, const std::string& what, int system_errno) {
  std::string sentence = fmt::format("{}: cannot {}: {}", path, what, std::system_category().message(system_errno));
  if (const std::string_view hint = remedy(system_errno); !hint.empty()) sentence += fmt::format(" ({})", hint);
  ErrorFacts facts;
  facts.path = path;
  facts.system_errno = system_errno;
  return Error(code_of_errno(system_errno), sentence, std::move(facts));
}

}  // namespace lq::base
