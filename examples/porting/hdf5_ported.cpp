// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The usual tasks of HDF5Writer and HDF5Reader of QDP++, or of qcd.hdf5 of QLUA, with Limequat
// (docs/guide/porting-from-qdp-hdf5.md): hdf5_ported FILE.h5. In an MPI program every rank makes the same calls; this
// one has one rank.
//
// Prints:
//   conf.0010 is a group
//   beta 6.0, complex128 {r,i} in /conf.0010, links equal, correlator ok
// [program]
#include <complex>
#include <cstdio>
#include <vector>

#include <limequat/limequat.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1];
  const lq::Grid grid(lq::Extents{4, 4, 4, 8});
  std::vector<double> links(grid.volume() * 72, 0.0);
  for (std::size_t i = 0; i < links.size(); i += 18) links[i] = links[i + 8] = links[i + 16] = 1;
  try {
    lq::hdf5::File file(path, lq::hdf5::Mode::create, grid.communicator(), {.overwrite = true});
    file.push("/conf.0010");                        // push("/conf.0010")
    file.write("gauge", grid, lq::gauge(links));    // write("gauge", u)
    file.set_attribute("gauge", "beta", 6.0);       // writeAttribute("gauge", "beta", 6.0)
    file.set_attribute("gauge", "trajectory", 10);  // writeAttribute("gauge", "trajectory", 10)
    file.write("plaquette", 1.0);                   // write("plaquette", w)
    lq::hdf5::Array pion(std::vector<std::complex<double>>(2 * 8, {1, 0}), {2, 8});
    pion.axes = {{"momentum", {0, 1}}, {"t"}};
    file.write("correlators/pion", pion);  // write("correlators/pion", c)
    file.flush();                          // f:flush()
    file.pop();                            // pop()
    file.close();                          // close()

    lq::hdf5::File again(path, lq::hdf5::Mode::append, grid.communicator());
    again.cd("/conf.0010");                               // cd("/conf.0010")
    for (const lq::hdf5::Entry& entry : again.ls("/")) {  // f:list("/")
      std::printf("%s is a %s\n", entry.name.c_str(), std::string(name(entry.kind)).c_str());
    }
    std::vector<double> back(links.size());
    again.read("gauge", grid, lq::gauge(back));  // read("gauge", u)
    const double beta = again.attribute("gauge", "beta").real();
    const lq::hdf5::ReadArray read = again.read_checked("correlators/pion");  // data, status = f:read(path)
    std::printf("beta %.1f, %s in %s, links %s, correlator %s\n", beta, again.stat("gauge").type.c_str(),
                again.pwd().c_str(), back == links ? "equal" : "differ", std::string(name(read.status)).c_str());
    again.write("plaquette", 0.5, true);  // write("plaquette", w, HDF5Base::trunc)
    again.remove("correlators");          // f:remove("correlators")
    again.close();
  } catch (const lq::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
// [/program]
