// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Remote files on the command line, "https://host/conf.ildg", "s3://bucket/conf.ildg", and packed ones:
// "conf.ildg.gz", "ensemble.tar/conf.0100.ildg". The Python package reads them (limequat/url_server.py) in a separate
// process, and the library reads its output like a file.
#pragma once

#include <string>

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

// From now on folders and catalogues judge packed files by their contents.
void open_packed_files();

}  // namespace lq::cli
