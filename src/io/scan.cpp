// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See scan.hpp.
#include "io/scan.hpp"

#include "comm/agree.hpp"
#include "format/format.hpp"
#include "io/catalog_codec.hpp"

namespace lq::io {

Catalog scan_file(transport::Transport& transport, const std::string& path, const Communicator& communicator,
                  const Limits& limits) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, path, "the path of the file to read");
  Catalog catalog;
  comm::agree_at_root(comm, [&] {
    const std::unique_ptr<transport::File> file = transport.open_read(path);
    catalog = format::scan(*file, limits);
  });
  broadcast(comm, catalog);
  return catalog;
}

}  // namespace lq::io
