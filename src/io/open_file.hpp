// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind the public File, for transfers in the background: they share it.
#pragma once

#include <memory>

#include <limequat/file.hpp>

#include "io/scan.hpp"

namespace lq {

struct File::State {
  std::shared_ptr<io::ScannedFile> file;
};

struct FileAccess {
  // wrong_state: it was moved elsewhere.
  static const std::shared_ptr<io::ScannedFile>& file_of(const File& file);
};

}  // namespace lq
