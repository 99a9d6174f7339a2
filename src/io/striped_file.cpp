// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/striped_file.hpp>

#include <random>

#include "base/temporary_name.hpp"
#include "io/new_file.hpp"

namespace lq {

Stripes create_striped(const std::string& path, std::uint64_t file_bytes, const StripeRequest& request) {
  transport::Transport& transport = transport::resolve(path);
  io::require_target(transport, path, false);
  transport.create(path)->close();
  std::random_device random;
  return transport.set_stripes(path, base::temporary_name(path, random()), file_bytes, request);
}

}  // namespace lq
