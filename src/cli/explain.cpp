// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq explain: every header byte, with its field name and where the format page tells about it.
#include <algorithm>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "cli/command.hpp"
#include "cli/exit_code.hpp"
#include "cli/option_arguments.hpp"
#include "cli/text.hpp"

namespace lq::cli {
namespace {

constexpr std::uint64_t most_bytes_shown = 8;

std::string hex_of(std::ifstream& file, const Annotation& annotation) {
  std::string bytes(static_cast<std::size_t>(std::min(annotation.length, most_bytes_shown)), '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(annotation.offset));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned char>(byte));
  }
  return annotation.length > bytes.size() ? text + " ..." : text;
}

struct Explain {
  std::string file;
  Limits limits;

  int print(Session& session) const {
    const std::vector<Annotation> annotations = lq::explain(file, limits);
    if (session.json) {
      base::JsonWriter json;
      json.begin_object().member("path", file).key("annotations").raw(to_json(annotations)).end_object();
      session.out.line(json.take());
      return fine;
    }
    std::ifstream bytes(file, std::ios::binary);
    Table table({{"OFFSET", true}, {"LENGTH", true}, {"BYTES"}, {"FIELD"}, {"VALUE"}, {"SECTION"}});
    for (const Annotation& annotation : annotations) {
      table.row({std::to_string(annotation.offset), std::to_string(annotation.length), hex_of(bytes, annotation),
                 annotation.name, annotation.value, annotation.section});
    }
    session.out.write(table.text());
    return fine;
  }
};

}  // namespace

Run declare_explain(Arguments& arguments) {
  const auto explain = std::make_shared<Explain>();
  arguments.file("FILE", explain->file, "file to explain");
  declare_options(arguments, "explain", "Limits", explain->limits);
  return [explain](Session& session) {
    return for_each_file(session, {explain->file}, [&](const std::string& path) {
      const Catalog catalog = inspect(path, session.communicator, explain->limits);
      at_root(session, [&] { return explain->print(session); });
      tell(session, path, catalog.findings);
      return exit_code_of(catalog);
    });
  };
}

}  // namespace lq::cli
