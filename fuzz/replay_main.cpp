// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A fuzz target without a fuzzer: runs it over the files and folders named, over every piece of them between two
// headers, and over each file with some of its bytes changed, at LQ_FUZZ_PLACES places (default 64). Builds with any
// compiler.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// The payloads of LIME records, so that targets for texts get texts.
void run_pieces(const std::string& input) {
  constexpr std::size_t header = 144;
  const std::string magic = "\x45\x67\x89\xab";
  for (std::size_t at = input.find(magic); at != std::string::npos;) {
    const std::size_t next = input.find(magic, at + 4);
    if (at + header < input.size() && next > at + header) run(input.substr(at + header, next - at - header));
    at = next;
  }
}

std::size_t places() {
  const char* const text = std::getenv("LQ_FUZZ_PLACES");
  return text != nullptr ? std::max(std::strtoul(text, nullptr, 10), 1UL) : 64;
}

void run_changed(std::string input) {
  const std::size_t step = 1 + input.size() / places();
  for (std::size_t at = 0; at < input.size(); at += step) {
    const char kept = input[at];
    for (const char value : {'\0', '\xff', '<'}) {
      input[at] = value;
      run(input);
    }
    input[at] = kept;
  }
}

std::vector<fs::path> files_below(const fs::path& root) {
  if (!fs::is_directory(root)) return {root};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& path : files_below(argv[i])) {
      std::ifstream in(path, std::ios::binary);
      const std::string input{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      try {
        run(input);
        run_pieces(input);
        run_changed(input);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), error.what());
        return 1;
      }
      ++count;
    }
  }
  std::printf("%zu files\n", count);
  return count == 0 ? 1 : 0;  // a replay of nothing proves nothing
}
