// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// <limequat/cxx17.hpp> in one process: what is written by it is read by it, and errors are exceptions.
#include <limequat/cxx17.hpp>

#include <cstdio>
#include <cstdlib>

namespace io = lq::cxx17;

namespace {

static_assert(__cplusplus < 202002L, "these tests are for C++17");

using Links = std::array<std::complex<double>, 36>;

void expect(bool is_so, const char* claim) {
  if (is_so) return;
  std::fprintf(stderr, "not so: %s\n", claim);
  std::exit(1);
}

template <class Call>
lq_status failure_of(Call call, const std::string& word) {
  try {
    call();
  } catch (const io::Error& error) {
    expect(std::string(error.what()).find(word) != std::string::npos, error.what());
    return error.code;
  }
  return LQ_OK;
}

std::vector<Links> numbers(const io::Grid& grid) {
  std::vector<Links> u(grid.local_volume());
  double next = 0;
  for (auto& site : u) {
    for (auto& z : site) {
      z = {next, -next};
      next += 0.125;
    }
  }
  return u;
}

void one_field(const io::Grid& grid, const std::vector<Links>& u) {
  const io::Report report =
      io::write("field.ildg", grid, io::gauge(u), {{"overwrite", "1"}}, {{"xlf-info", "plaquette = 0.5"}});
  expect(report.bytes == grid.volume() * 72 * 8, "bytes");
  std::vector<Links> back(u.size());
  expect(io::read("field.ildg", grid, io::gauge(back)).checksum_status == LQ_CHECKSUM_OK, "checksum compared");
  expect(back == u, "read again");
  std::vector<float> single(u.size() * 72);
  io::read("field.ildg", grid, io::gauge(single));
  expect(single[2] == 0.125F && single[3] == -0.125F, "in single precision");
  const io::Memory<float> memory{single.data(), single.size()};
  io::read("field.ildg", grid, io::gauge(memory));
  expect(io::verify("field.ildg", {{"physics", "never"}}).is_so, "sound");
  expect(io::inspect("field.ildg").find("xlf-info") != std::string::npos, "metadata are known");
  io::convert("field.ildg", "field.lime", {{"format", "scidac"}, {"overwrite", "1"}});
  expect(io::diff("field.ildg", "field.lime").is_so, "converted");
}

void in_the_background(const io::Grid& grid, const std::vector<Links>& u) {
  io::Pending writing = io::write_async("behind.ildg", grid, io::gauge(u), {{"overwrite", "1"}});
  writing.test();
  writing.wait();
  std::vector<Links> back(u.size());
  io::read_async("behind.ildg", grid, io::gauge(back)).wait();
  expect(back == u, "in the background");
}

void several_fields(const io::Grid& grid) {
  std::vector<std::array<std::complex<double>, 12>> psi(grid.local_volume()), back(psi.size());
  io::Writer writer = io::create("several.lime", grid, {{"overwrite", "1"}});
  for (int source = 0; source < 3; ++source) {
    for (auto& site : psi) site.fill(source);
    writer.write("source", io::spinor(psi), {{"number", std::to_string(source)}});
  }
  writer.record("note", "three of them");
  writer.close();
  const io::File file = io::open("several.lime");
  expect(file.catalog().find("note") != std::string::npos, "the record is known");
  file.read(grid, io::spinor(back), {{"field", "source"}, {"index", "2"}});
  expect(back == psi, "the third of that name");
}

void regions(const io::Grid& grid, const std::vector<Links>& u) {
  io::RegionWriter writer("regions.ildg", grid, io::gauge(u), {{"overwrite", "1"}});
  const std::size_t slice = u.size() / 3;
  for (const std::int64_t t : {2, 0}) {
    const std::vector<Links> part(u.begin() + t * static_cast<std::int64_t>(slice),
                                  u.begin() + (t + 1) * static_cast<std::int64_t>(slice));
    writer.write({0, 0, 0, t}, {4, 2, 6, 1}, io::gauge(part));
  }
  expect(writer.missing() == slice, "a slice is missing");
  expect(failure_of([&] { writer.close(); }, "regions.ildg") == LQ_WRONG_STATE, "no file with holes");
  const std::vector<Links> part(u.begin() + static_cast<std::int64_t>(slice), u.end());
  expect(failure_of(
             [&] {
               writer.write({0, 0, 1}, {4, 2, 6, 2}, io::gauge(part));
             },
             "") == LQ_INVALID_ARGUMENT,
         "3 numbers");
  writer.write({0, 0, 0, 1}, {4, 2, 6, 2}, io::gauge(part));
  writer.close();
  std::vector<Links> back(u.size());
  io::read("regions.ildg", grid, io::gauge(back));
  expect(back == u, "region by region");
}

void errors(const io::Grid& grid, std::vector<Links> u) {
  expect(failure_of([&] { io::read("nowhere.ildg", grid, io::gauge(u)); }, "nowhere.ildg") == LQ_NOT_FOUND,
         "not found");
  expect(failure_of([&] { io::write("field.ildg", grid, io::gauge(u)); }, "field.ildg") == LQ_EXISTS, "exists");
  expect(failure_of([] { io::WriteOptions{{"presicion", "single"}}; }, "precision") == LQ_INVALID_ARGUMENT, "option");
  u.pop_back();
  expect(failure_of([&] { io::read("field.ildg", grid, io::gauge(u)); }, "") == LQ_INVALID_ARGUMENT, "too small");
  expect(failure_of([] { io::Grid({4, 0}); }, "") == LQ_INVALID_ARGUMENT, "no extent");
}

}  // namespace

int main() try {
  const io::Grid grid({4, 2, 6, 3});
  expect(grid.volume() == 144 && grid.is_root() && grid.local_box().second[2] == 6, "the lattice");
  const std::vector<Links> u = numbers(grid);
  one_field(grid, u);
  in_the_background(grid, u);
  several_fields(grid);
  regions(grid, u);
  errors(grid, u);
} catch (const io::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
