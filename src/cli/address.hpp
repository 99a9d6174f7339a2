// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Remote files on the command line, "https://host/conf.ildg", "s3://bucket/conf.ildg", and packed ones:
// "conf.ildg.gz", "ensemble.tar/conf.0100.ildg". The Python package reads them (limequat/url_server.py) in a separate
// process, and the library reads its output like a file.
#pragma once

#include <memory>
#include <string>

#include <limequat/grid.hpp>

namespace lq::cli {

// True if a word is a remote address and no local file has that name.
bool is_address(const std::string& word);

// The path by which the library reads an address until the program ends: the address as messages may show it, without
// password and query. Any other word is returned unchanged. Throws the server's error, or unsupported without the
// Python package.
std::string path_of_word(const std::string& word);

// True if a word names an existing compressed file or archive (by its suffix), or a member of one.
bool is_packed(const std::string& word);
// True if it is a member of an archive.
bool is_member(const std::string& word);
// The path by which the library reads its contents until the program ends. Throws as path_of_word().
std::string path_of_packed(const std::string& word);

// A name without the suffix of a compressed file: "conf.1.ildg" for "conf.1.ildg.gz".
std::string without_packing(const std::string& name);

// A file of a folder, to be read: if it is packed, its contents are open as long as the object exists.
class FoundFile {
 public:
  // Collective. Throws as path_of_word(), on all ranks.
  FoundFile(const std::string& path, const Communicator& communicator);
  const std::string& path() const noexcept { return *path_; }

 private:
  std::shared_ptr<const std::string> path_;
};

// From now on folders and catalogues judge packed files by their contents.
void open_packed_files();

}  // namespace lq::cli
