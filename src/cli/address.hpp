// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files elsewhere on the command line, "https://host/conf.ildg", "s3://bucket/conf.ildg", and packed ones:
// "conf.ildg.gz", "ensemble.tar/conf.0100.ildg". The Python package reads them (limequat/url_server.py) in a process of
// its own, and the library reads what that gives like a file.
#pragma once

#include <string>

namespace lq::cli {

// Whether a word is the address of something elsewhere, and no file of that name is here.
bool is_address(const std::string& word);

// The path by which the library reads an address until the program ends: the address as messages may show it, without
// password and query. Any other word as it is. Throws what the server says, or unsupported without the Python package.
std::string path_of_word(const std::string& word);

// Whether a word is, by its name, a compressed file or an archive that is here, or a member of one.
bool is_packed(const std::string& word);
// Whether it is a member of an archive.
bool is_member(const std::string& word);
// The path by which the library reads what is in it until the program ends. Throws likewise.
std::string path_of_packed(const std::string& word);

}  // namespace lq::cli
