// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/checkpoint.hpp"

#include <algorithm>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

namespace lq::cli {

std::optional<Checkpoint> checkpoint_of(const Catalog& catalog, const Communicator& communicator) {
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  if (format_info(catalog.format).contents != Contents::streams || !catalog.complete ||
      std::ranges::any_of(catalog.findings, is_error)) {
    return std::nullopt;
  }
  const std::string& path = catalog.files.empty() ? catalog.path : catalog.files.front();
  const MultifileReader reader(path, communicator);
  if (!reader.info().has_records) return std::nullopt;
  Checkpoint checkpoint{reader.info(), {}, {}, {}};
  try {
    checkpoint.fields = reader.fields();
  } catch (const Error& error) {
    checkpoint.problem = error.what();
  }
  if (communicator.rank() > 0) return checkpoint;  // only rank 0 prints
  const MultifileReader alone(path);
  for (std::int64_t task = 0; task < alone.tasks(); ++task) checkpoint.stream_bytes.push_back(alone.size(task));
  return checkpoint;
}

void put(base::JsonWriter& json, const Checkpoint& checkpoint) {
  json.key("checkpoint").raw(to_json(checkpoint.info));
  json.key("checkpoint_streams").array(checkpoint.stream_bytes);
  json.key("checkpoint_fields").raw(to_json(checkpoint.fields));
}

std::string with_fields(const std::string& path, const Communicator& communicator, const Limits& limits) {
  const Catalog catalog = inspect(path, communicator, limits);
  if (format_info(catalog.format).contents != Contents::streams) return path;
  const MultifileReader reader(path, communicator);
  if (reader.info().fields == 0) return path;
  (void)reader.fields();  // throws the reason why the file is missing
  return reader.info().fields_file;
}

}  // namespace lq::cli
