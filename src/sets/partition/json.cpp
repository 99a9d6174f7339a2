// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/json.hpp>

#include "base/json_writer.hpp"

namespace lq {

std::string to_json(const PartitionedFile& file) {
  base::JsonWriter json;
  const FileArray& array = file.partition.array();
  json.begin_object().member("path", file.path).member("bytes", file.bytes).member("begin", array.begin);
  json.member("element_bytes", array.element_bytes).key("extents").array(array.extents);
  json.member("partition", file.partition.text()).member("parts", file.partition.parts());
  json.member("is_set", file.is_set).key("files").begin_array();
  for (const PartitionedFile::Subfile& subfile : file.files) {
    json.begin_object().member("path", subfile.path).member("offset", subfile.offset).end_object();
  }
  return json.end_array().end_object().take();
}

std::string to_json(const Matching& matching) {
  base::JsonWriter json;
  json.begin_object().member("bytes", matching.bytes).member("pairs", matching.pairs).member("runs", matching.runs);
  json.member("mean_run_bytes", matching.mean_run_bytes()).member("degree", matching.degree());
  return json.end_object().take();
}

}  // namespace lq
