! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! module limequat for programs that use mpi_f08: all of it, and communicators of type(MPI_Comm). A module of its own,
! because module limequat is used without MPI, too.
module limequat_mpi_f08
  use, intrinsic :: iso_c_binding
  use limequat
  use mpi_f08, only: MPI_Comm
  implicit none
  public
  private :: MPI_Comm, f08_grid, f08_grid_of_int, f08_communicator

  ! Collective. As in module limequat, where the other arguments are described.
  interface lq_mpi_grid
    procedure :: f08_grid, f08_grid_of_int
  end interface
  interface lq_mpi_communicator
    procedure :: f08_communicator
  end interface

contains

  function f08_grid(extents, comm, processes, holds_sites, idle_ranks, status, message, ranks, coordinates) result(grid)
    integer(c_int64_t), intent(in) :: extents(:)
    type(MPI_Comm), intent(in) :: comm
    integer(c_int64_t), intent(in), optional :: processes(:)
    logical, intent(in), optional :: holds_sites, idle_ranks
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int), intent(in), optional :: ranks(:)
    integer(c_int64_t), intent(in), optional :: coordinates(:)
    type(lq_grid) :: grid
    grid = lq_mpi_grid(extents, comm%mpi_val, processes, holds_sites, idle_ranks, status, message, ranks, coordinates)
  end function

  function f08_grid_of_int(extents, comm, processes, holds_sites, idle_ranks, status, message, ranks, coordinates) &
      result(grid)
    integer(c_int), intent(in) :: extents(:)
    type(MPI_Comm), intent(in) :: comm
    integer(c_int), intent(in), optional :: processes(:)
    logical, intent(in), optional :: holds_sites, idle_ranks
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(c_int), intent(in), optional :: ranks(:)
    integer(c_int), intent(in), optional :: coordinates(:)
    type(lq_grid) :: grid
    grid = lq_mpi_grid(extents, comm%mpi_val, processes, holds_sites, idle_ranks, status, message, ranks, coordinates)
  end function

  function f08_communicator(comm, status, message) result(communicator)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(lq_communicator) :: communicator
    communicator = lq_mpi_communicator(comm%mpi_val, status, message)
  end function

end module
