! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! The part of module limequat that needs limequat_mpi; a program that does not call it is linked without.
submodule (limequat) limequat_over_mpi
  implicit none

  ! lq_grid_options of limequat.h.
  type, bind(c) :: grid_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: processes, rank_order, axes
    integer(c_int) :: idle_ranks, holds_sites
  end type

  interface
    function c_grid_options_init(options, struct_size) bind(c, name='lq_grid_options_init') result(status)
      import
      type(grid_options), intent(inout) :: options
      integer(c_size_t), value :: struct_size
      integer(c_int) :: status
    end function
    function c_grid_mpi(extents, dimensions, comm, options, grid) bind(c, name='lq_grid_mpi_fortran') result(status)
      import
      integer(c_int64_t), intent(in) :: extents(*)
      integer(c_int), value :: dimensions, comm
      type(grid_options), intent(in) :: options
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function
    function c_communicator_mpi(comm, communicator) bind(c, name='lq_communicator_mpi_fortran') result(status)
      import
      integer(c_int), value :: comm
      type(c_ptr), intent(inout) :: communicator
      integer(c_int) :: status
    end function
  end interface

contains

  module function lq_mpi_grid(extents, comm, processes, holds_sites, idle_ranks, status, message) result(grid)
    integer(c_int64_t), intent(in) :: extents(:)
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in), optional :: processes(:)
    logical, intent(in), optional :: holds_sites, idle_ranks
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_grid) :: grid
    type(grid_options) :: options
    integer(c_int64_t), target :: wanted(size(extents))
    integer(c_int) :: code
    code = c_grid_options_init(options, c_sizeof(options))
    if (present(processes)) then
      ! Too few or too many of them are refused as a process grid of zeros is.
      wanted = 0
      if (size(processes) == size(extents)) wanted = processes
      options%processes = c_loc(wanted)
    end if
    if (present(holds_sites)) options%holds_sites = merge(1, 0, holds_sites)
    if (present(idle_ranks)) options%idle_ranks = merge(1, 0, idle_ranks)
    if (code == LQ_OK) code = c_grid_mpi(extents, size(extents), comm, options, grid%handle)
    call finish(code, status, message)
  end function

  module function lq_mpi_communicator(comm, status, message) result(communicator)
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_communicator) :: communicator
    call finish(c_communicator_mpi(comm, communicator%handle), status, message)
  end function

end submodule
