! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! module limequat_mpi_f08: communicators of type(MPI_Comm), on any number of ranks.
program over_mpi_f08
  use mpi_f08
  use limequat_mpi_f08
  use check
  implicit none
  type(lq_grid) :: grid
  type(lq_communicator) :: world
  complex(c_double), allocatable, target :: u(:, :, :, :, :, :, :), back(:, :, :, :, :, :, :)
  integer(c_int64_t), allocatable :: lower(:), box(:)
  integer, allocatable :: lattice(:)
  character(200) :: message
  integer :: ranks, rank, status
  type(MPI_Comm) :: half

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  ! [f08]
  world = lq_mpi_communicator(MPI_COMM_WORLD)
  grid = lq_mpi_grid([4, 4, 4, 8], MPI_COMM_WORLD)
  ! [/f08]
  call expect(lq_size(grid) == ranks .and. lq_rank(grid) == rank .and. lq_volume(grid) == 512, 'the ranks')
  call lq_local_box(grid, lower, box)
  allocate (u(3, 3, 4, box(1), box(2), box(3), box(4)))
  allocate (back, mold=u)
  call fill(u, lower)
  call lq_write('field.ildg', grid, lq_gauge(u), options=[lq_option('overwrite', .true.)])
  call lq_read('field.ildg', grid, lq_gauge(back))
  call expect(all(back == u), 'read again')
  call lq_lattice('field.ildg', lattice, communicator=world)
  call expect(all(lattice == [4, 4, 4, 8]), 'the lattice')
  call lq_free(grid)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  grid = lq_mpi_grid([2_c_int64_t, 2_c_int64_t, 2_c_int64_t, 8_c_int64_t], half)
  call expect(lq_size(grid) == (ranks + 1 - mod(rank, 2))/2, 'a part of the ranks')
  call lq_free(grid)
  grid = lq_mpi_grid([4, 4, 4, 8], half, processes=[1, 1, 1, 100], status=status, message=message)
  call expect(status == LQ_INVALID_ARGUMENT, 'another number of ranks: '//message)
  grid = lq_mpi_grid([4, 4, 4, 8], MPI_COMM_WORLD%mpi_val)  ! the number is accepted, too
  call expect(lq_size(grid) == ranks, 'by its number')
  call lq_free(grid)
  call lq_free(world)
  call MPI_Comm_free(half)
  call MPI_Finalize()
end program
