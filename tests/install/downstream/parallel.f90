! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! A field written and read again by all ranks.
program parallel
  use mpi
  use limequat
  use, intrinsic :: iso_c_binding
  implicit none
  type(lq_grid) :: grid
  complex(c_double), allocatable, target :: u(:, :), again(:, :)
  integer :: error
  call MPI_Init(error)
  grid = lq_mpi_grid([2_c_int64_t, 2_c_int64_t, 4_c_int64_t, 4_c_int64_t], MPI_COMM_WORLD)
  allocate (u(36, lq_local_volume(grid)), again(36, lq_local_volume(grid)))
  u = cmplx(lq_rank(grid), -1, c_double)
  call lq_write('parallel_f90.ildg', grid, lq_gauge(u), options=[lq_option('overwrite', .true.)])
  call lq_read('parallel_f90.ildg', grid, lq_gauge(again))
  if (any(u /= again)) error stop 'different'
  if (lq_rank(grid) == 0) print '(i0, a)', lq_size(grid), ' ranks same'
  call lq_free(grid)
  call MPI_Finalize(error)
end program
