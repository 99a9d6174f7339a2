// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Signatures are those of the formats' own specifications; the last ones have no signature and are told by their exact
// size.
#include "format/foreign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/checked.hpp"

namespace lq::format {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view ask_its_program =
    "let a program that reads it write ILDG or SciDAC, or read it yourself and hand the numbers to lq::write or "
    "lq.write";
constexpr std::string_view numpy = "read it with numpy and hand the array to lq.write";
constexpr std::string_view fetch_it = "the data were never fetched; get them with the program that made it";

struct Signature {
  std::uint64_t offset;
  std::string_view bytes;
  ForeignFile file;
};

// Asked only where the room hdf5 is not built in.
constexpr ForeignFile hdf5{
    "an HDF5 file",
    "this library was built without HDF5; build it with a serial libhdf5 (1.10.5 or later), or read "
    "the file with h5py and hand the numbers to lq.write"};
constexpr ForeignFile gzip{"a file compressed by gzip", "unpack it with gunzip first"};
constexpr ForeignFile bzip2{"a file compressed by bzip2", "unpack it with bunzip2 first"};
constexpr ForeignFile xz{"a file compressed by xz", "unpack it with unxz first"};
constexpr ForeignFile zstd{"a file compressed by zstd", "unpack it with unzstd first"};
constexpr ForeignFile lz4{"a file compressed by lz4", "unpack it with unlz4 first"};
constexpr ForeignFile zip{"a zip archive", "unpack it with unzip first; numpy reads those of numpy (.npz)"};
constexpr ForeignFile seven_zip{"a 7z archive", "unpack it with 7z first"};
constexpr ForeignFile tar{"a tar archive", "unpack it with tar first"};
constexpr ForeignFile nersc{"a configuration in the NERSC archive format", ask_its_program};
constexpr ForeignFile qlattice{"a field of Qlattice", ask_its_program};
constexpr ForeignFile milc{"a configuration of MILC, version 5", ask_its_program};
constexpr ForeignFile milc_old{"a configuration of an early version of MILC", ask_its_program};
constexpr ForeignFile milc_double{"a configuration in the format of MILC, double precision, as GLU writes it",
                                  ask_its_program};
constexpr ForeignFile fnal{"a field in the FNAL format of MILC", ask_its_program};
constexpr ForeignFile qdp_map{"an object file of QDP++ (.mod)", ask_its_program};
constexpr ForeignFile openqcd{"a configuration of openQCD", ask_its_program};
constexpr ForeignFile openqcd_spinor{"a spinor field of openQCD", ask_its_program};
constexpr ForeignFile hirep{"a configuration of HiRep", ask_its_program};
constexpr ForeignFile fits{"a FITS file", "read it with astropy and hand the array to lq.write"};
constexpr ForeignFile npy{"a numpy array (.npy)", numpy};
constexpr ForeignFile netcdf{"a netCDF file", "read it with its own library and hand the numbers to lq.write"};
constexpr ForeignFile web_page{"a web page, perhaps a server's error message", "download the file again"};
constexpr ForeignFile xml{"an XML document", "name the file with the data that it describes"};

constexpr Signature signatures[] = {
    {0, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {512, "\x89HDF\r\n\x1a\n"sv, hdf5},  // behind a user block, of 512 bytes times a power of 2
    {1024, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {2048, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {4096, "\x89HDF\r\n\x1a\n"sv, hdf5},
    {0, "\x1f\x8b"sv, gzip},
    {0, "BZh"sv, bzip2},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     xz},
    {0, "\x28\xb5\x2f\xfd"sv, zstd},
    {0, "\x04\x22\x4d\x18"sv, lz4},
    {0, "PK\x03\x04"sv, zip},
    {0, "7z\xbc\xaf\x27\x1c"sv, seven_zip},
    {257, "ustar"sv, tar},
    {0, "BEGIN_HEADER"sv, nersc},
    {0, "BEGIN_FIELD_HEADER"sv, qlattice},
    {0, "\x00\x00\x4e\x87"sv, milc},
    {0, "\x87\x4e\x00\x00"sv, milc},
    {0, "\x00\x00\x4e\x88"sv, milc_double},
    {0, "\x88\x4e\x00\x00"sv, milc_double},
    {0, "\x00\x00\xe7\xda"sv, milc_old},
    {0, "\xda\xe7\x00\x00"sv, milc_old},
    {0, "\x00\x00\xd1\x2a"sv, milc_old},
    {0, "\x2a\xd1\x00\x00"sv, milc_old},
    {0, "\x71\x62\x64\x34"sv, fnal},
    {0, "\x34\x64\x62\x71"sv, fnal},
    {4, "XXXXQDPLazyDiskMapObjFileXXXX"sv, qdp_map},
    {0, "SIMPLE  ="sv, fits},
    {0, "\x93NUMPY"sv, npy},
    {0, "CDF\x01"sv, netcdf},
    {0, "CDF\x02"sv, netcdf},
    {0, "CDF\x05"sv, netcdf},
    {0, "version https://git-lfs.github.com/spec"sv, {"a pointer of git-lfs, not the data", fetch_it}},
    {0, "/annex/objects/"sv, {"a pointer of git-annex, not the data", fetch_it}},
    {0, "<!DOCTYPE html"sv, web_page},
    {0, "<!doctype html"sv, web_page},
    {0, "<html"sv, web_page},
    {0, "<?xml"sv, xml},
};

struct Suffix {
  std::string_view suffix;
  ForeignFile file;
};

constexpr Suffix suffixes[] = {
    {".h5", hdf5},        {".hdf5", hdf5}, {".he5", hdf5},        {".jld2", hdf5},     {".gz", gzip},
    {".tgz", gzip},       {".bz2", bzip2}, {".xz", xz},           {".zst", zstd},      {".lz4", lz4},
    {".zip", zip},        {".npz", zip},   {".7z", seven_zip},    {".tar", tar},       {".nersc", nersc},
    {".field", qlattice}, {".milc", milc}, {".openqcd", openqcd}, {".hirep", hirep},   {".mod", qdp_map},
    {".fits", fits},      {".npy", npy},   {".nc", netcdf},       {".html", web_page}, {".xml", xml},
};

template <class T>
T number_at(base::Bytes bytes, std::size_t offset, bool big) {
  return big ? base::load_be<T>(bytes.data() + offset) : base::load_le<T>(bytes.data() + offset);
}

double double_at(base::Bytes bytes, std::size_t offset, bool big) {
  return std::bit_cast<double>(number_at<std::uint64_t>(bytes, offset, big));
}

// Sites of the lattice whose four extents stand at `offset`; 0 where no lattice does.
std::uint64_t sites_at(base::Bytes start, std::size_t offset, bool big) {
  std::uint64_t sites = 1;
  for (std::size_t d = 0; d < 4; ++d) {
    const auto extent = number_at<std::uint32_t>(start, offset + 4 * d, big);
    if (extent < 1 || extent > 65536) return 0;
    sites *= extent;
  }
  return sites;
}

// Formats whose header is nothing but small integers and an average: the size must be theirs to the byte.
std::optional<ForeignFile> identify_by_size(base::Bytes start, std::uint64_t bytes) {
  constexpr std::uint64_t link = 144;
  if (start.size() < 32) return {};
  if (const std::uint64_t sites = sites_at(start, 0, false); sites > 0) {
    const bool is_plaquette = std::abs(double_at(start, 16, false)) <= 3;
    if (is_plaquette && bytes == 24 + 4 * link * sites) return openqcd;
    if (bytes == 24 + 192 * sites || bytes == 28 + 192 * sites) return openqcd_spinor;
  }
  const auto colors = number_at<std::uint32_t>(start, 0, true);
  const std::uint64_t sites = sites_at(start, 4, true);
  const bool is_plaquette = std::abs(double_at(start, 20, true)) <= 1;
  const bool is_hirep = colors >= 2 && colors <= 100 && sites > 0 && is_plaquette;
  if (is_hirep && bytes == 28 + sites * 4 * 16 * colors * colors) return hirep;
  return {};
}

}  // namespace

std::optional<ForeignFile> identify_foreign(base::ByteSource& file) {
  std::array<std::byte, 4096 + 8> buffer{};
  const base::Bytes start = base::Bytes(buffer).first(file.read_at(0, buffer));
  const std::string_view text = base::as_text(start);
  for (const Signature& signature : signatures) {
    if (text.size() > signature.offset && text.substr(signature.offset).starts_with(signature.bytes)) {
      return signature.file;
    }
  }
  if (const auto found = identify_by_size(start, file.size())) return found;
  const bool only_zeros = std::ranges::all_of(start, [](std::byte b) { return b == std::byte{0}; });
  if (!start.empty() && only_zeros) {
    return ForeignFile{"a file that begins with zeros, as lost writes or an interrupted copy leave it",
                       "take another copy"};
  }
  return {};
}

std::optional<ForeignFile> foreign_suffix(std::string_view suffix) noexcept {
  const auto found = std::ranges::find(suffixes, suffix, &Suffix::suffix);
  return found == std::end(suffixes) ? std::nullopt : std::optional(found->file);
}

}  // namespace lq::format
