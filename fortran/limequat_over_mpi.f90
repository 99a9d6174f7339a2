! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! The part of module limequat that needs limequat_mpi; a program that does not call it is linked without.
submodule (limequat) limequat_over_mpi
  implicit none

contains

  module function mpi_grid(extents, comm, processes, holds_sites, idle_ranks, status, message, ranks, coordinates) &
      result(grid)
    integer(c_int64_t), intent(in) :: extents(:)
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in), optional :: processes(:)
    logical, intent(in), optional :: holds_sites, idle_ranks
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int), intent(in), optional :: ranks(:)
    integer(c_int64_t), intent(in), optional :: coordinates(:)
    type(lq_grid) :: grid
    type(lq_grid_options) :: options
    integer(c_int64_t), target :: wanted(size(extents)), place(size(extents))
    integer(c_int), allocatable, target :: table(:)
    integer(c_int) :: code
    code = c_grid_options_init(options, c_sizeof(options))
    if (present(processes)) then
      ! Too few or too many of them are refused as a process grid of zeros is.
      wanted = 0
      if (size(processes) == size(extents)) wanted = processes
      if (present(ranks)) then
        if (size(ranks, kind=c_int64_t) /= product(wanted)) wanted = 0
      end if
      options%processes = c_loc(wanted)
    end if
    if (present(ranks)) then
      table = ranks
      options%ranks = c_loc(table)
    end if
    if (present(coordinates)) then
      place = -1
      if (size(coordinates) == size(extents)) place = coordinates
      options%coordinates = c_loc(place)
    end if
    if (present(holds_sites)) options%holds_sites = merge(1, 0, holds_sites)
    if (present(idle_ranks)) options%idle_ranks = merge(1, 0, idle_ranks)
    if (code == LQ_OK) code = c_grid_mpi(extents, size(extents), comm, options, grid%handle)
    call finish(code, status, message)
  end function

  module function mpi_grid_of_int(extents, comm, processes, holds_sites, idle_ranks, status, message, ranks, coordinates) &
      result(grid)
    integer(c_int), intent(in) :: extents(:)
    integer, intent(in) :: comm
    integer(c_int), intent(in), optional :: processes(:)
    logical, intent(in), optional :: holds_sites, idle_ranks
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int), intent(in), optional :: ranks(:)
    integer(c_int), intent(in), optional :: coordinates(:)
    type(lq_grid) :: grid
    integer(c_int64_t), allocatable :: wide_processes(:), wide_coordinates(:)
    ! What is not allocated is not present.
    if (present(processes)) wide_processes = int(processes, c_int64_t)
    if (present(coordinates)) wide_coordinates = int(coordinates, c_int64_t)
    grid = mpi_grid(int(extents, c_int64_t), comm, wide_processes, holds_sites, idle_ranks, status, message, ranks, &
                    wide_coordinates)
  end function

  module function mpi_communicator(comm, status, message) result(communicator)
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_communicator) :: communicator
    call finish(c_communicator_mpi(comm, communicator%handle), status, message)
  end function

end submodule
