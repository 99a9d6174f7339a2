// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue/write_new.hpp"

#include "base/bytes.hpp"
#include "io/new_file.hpp"
#include "transport/transport.hpp"

namespace lq::catalogue {

void write_new(const std::string& path, const std::string& text, bool overwrite) {
  io::NewFile file(transport::resolve(path), {}, path);
  file.create(overwrite, text.size());
  file.named([&] { file.file().write_at(0, base::as_bytes(text)); });
  file.finish(Sync::data);
  file.publish(Sync::data);
}

}  // namespace lq::catalogue
