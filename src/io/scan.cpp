// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scans by one rank for all.
#include "io/scan.hpp"

#include <algorithm>
#include <vector>

#include "format/format.hpp"
#include "io/catalog_codec.hpp"
#include "io/payload_files.hpp"

namespace lq::io {

std::shared_ptr<ScannedFile> ScannedFile::open(transport::Transport& transport, const std::string& path,
                                               const Communicator& communicator, const Limits& limits) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, path, "the path of the file to read");
  auto file = comm::agree(comm, [&] { return std::make_shared<ScannedFile>(transport, path, communicator, limits); });
  file->scan();
  return file;
}

void ScannedFile::scan() {
  comm::Comm& comm = communicator_.engine();
  comm::agree_at_root(comm, [&] { catalog_ = format::scan(*files_.open_read(path_), limits_); });
  broadcast(comm, catalog_);
  tell_files();
}

// The root, which has looked into the files, tells the others which they were.
void ScannedFile::tell_files() {
  comm::Comm& comm = communicator_.engine();
  std::vector<std::string> paths;
  std::vector<transport::Identity> identities;  // of a file that was not looked into: none
  comm::agree(comm, [&] {
    paths = files_of(catalog_);
    paths.push_back(path_);
    identities.resize(paths.size());
    if (comm.rank() > 0) return;
    std::ranges::transform(paths, identities.begin(), [&](const std::string& path) {
      return files_.opened(path).value_or(transport::Identity{});
    });
  });
  comm.broadcast(std::as_writable_bytes(std::span(identities)), 0);
  comm::agree(comm, [&] {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (identities[i].inode != 0) files_.expect(paths[i], identities[i]);
    }
  });
}

void ScannedFile::open_everywhere() {
  use_as_scanned([&] { comm::agree(communicator_.engine(), [&] { files_.open_read(path_); }); });
}

void ScannedFile::require_as_scanned() {
  comm::agree_at_root(communicator_.engine(), [&] {
    const auto file = files_.open_read(path_);
    const transport::Identity now = file->identity();
    if (is_unchanged(files_.opened(path_).value(), now)) return;
    if (encode(format::scan(*file, limits_)) != encode(catalog_)) {
      throw Error(Code::io,
                  path_ + ": the file was changed since it was opened, and holds something else now; open it again",
                  {.path = path_});
    }
    files_.refresh(path_, now);
  });
}

}  // namespace lq::io
