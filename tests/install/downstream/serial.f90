! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! A field written and read again.
program serial
  use limequat
  use, intrinsic :: iso_c_binding
  implicit none
  type(lq_grid) :: grid
  complex(c_double), target :: u(72/2, 64), again(72/2, 64)
  grid = lq_self_grid([2_c_int64_t, 2_c_int64_t, 4_c_int64_t, 4_c_int64_t])
  u = (0.5d0, -1d0)
  call lq_write('serial_f90.ildg', grid, lq_gauge(u), options=[lq_option('overwrite', .true.)])
  call lq_read('serial_f90.ildg', grid, lq_gauge(again))
  print '(a)', merge('same     ', 'different', all(u == again))
  call lq_free(grid)
end program
