! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! How do I write and read a gauge field from Fortran, on any number of ranks? The same field as in write_gauge.c.
!
!   mpifort write_gauge.f90 $(pkg-config --cflags --libs limequat_fortran limequat_mpi) && mpirun -n 4 ./a.out gauge.ildg
!
! Prints:
!   plaquette 0.7911793228 spatial 0.7918495233 temporal 0.7905091223
!   checksum 121fd158/cc0eccec
!   read again: 0 numbers differ
!   a file that is not there: not_found
program write_gauge
  use mpi
  use limequat
  use, intrinsic :: iso_c_binding
  implicit none
  type(lq_grid) :: grid
  type(lq_report) :: report
  complex(c_double), allocatable, target :: u(:, :, :, :, :, :, :), again(:, :, :, :, :, :, :)
  integer(c_int64_t), allocatable :: lower(:), box(:)
  real(c_double) :: plaquette(3)
  integer :: status, differing, error
  character(512) :: path

  call MPI_Init(error)
  call get_command_argument(1, path)
  ! [write]
  grid = lq_mpi_grid([4_c_int64_t, 4_c_int64_t, 4_c_int64_t, 8_c_int64_t], MPI_COMM_WORLD)
  call lq_local_box(grid, lower, box)
  allocate (u(3, 3, 4, box(1), box(2), box(3), box(4)))  ! column, row, mu, x, y, z, t
  call set_field(u, lower)

  call lq_write(path, grid, lq_gauge(u), options=[lq_option('overwrite', .true.)], report=report)
  call lq_plaquette(grid, lq_gauge(u), plaquette)
  ! [/write]
  if (lq_rank(grid) == 0) then
    print '(3(a, f12.10))', 'plaquette ', plaquette(1), ' spatial ', plaquette(2), ' temporal ', plaquette(3)
    print '(a, a, a, a)', 'checksum ', hexadecimal(report%suma), '/', hexadecimal(report%sumb)
  end if

  ! [read]
  allocate (again, mold=u)
  call lq_read(path, grid, lq_gauge(again))                              ! no status: stops with the sentence
  call lq_read('nowhere.ildg', grid, lq_gauge(again), status=status)     ! status: you decide
  ! [/read]
  differing = count(again /= u)
  call MPI_Allreduce(MPI_IN_PLACE, differing, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (lq_rank(grid) == 0) then
    print '(a, i0, a)', 'read again: ', differing, ' numbers differ'
    print '(2a)', 'a file that is not there: ', lq_status_name(status)
  end if
  call lq_free(grid)
  call MPI_Finalize(error)

contains

  ! A link: diag(z, conj z, 1) with one of three exact phases.
  subroutine set_field(u, lower)
    complex(c_double), intent(out) :: u(:, :, :, :, :, :, :)
    integer(c_int64_t), intent(in) :: lower(4)
    complex(c_double), parameter :: phases(0:2) = [(1d0, 0d0), (0.6d0, 0.8d0), cmplx(5d0/13, 12d0/13, c_double)]
    complex(c_double) :: z
    integer(c_int64_t) :: x(4)
    integer :: i, j, k, l, mu
    u = 0
    do l = 1, size(u, 7)
      do k = 1, size(u, 6)
        do j = 1, size(u, 5)
          do i = 1, size(u, 4)
            x = lower + [i, j, k, l] - 1
            do mu = 1, 4
              z = phases(mod(x(1)*x(2) + 2*x(2)*x(3) + x(3)*x(4) + x(4)*x(1) + (mu - 1)*x(mu), 3_c_int64_t))
              u(1, 1, mu, i, j, k, l) = z
              u(2, 2, mu, i, j, k, l) = conjg(z)
              u(3, 3, mu, i, j, k, l) = 1
            end do
          end do
        end do
      end do
    end do
  end subroutine

  ! Eight digits, in lower case as elsewhere.
  function hexadecimal(number) result(digits)
    integer(c_int64_t), intent(in) :: number
    character(8) :: digits
    integer :: i
    write (digits, '(z8.8)') number
    do i = 1, 8
      if (digits(i:i) >= 'A') digits(i:i) = achar(iachar(digits(i:i)) + 32)
    end do
  end function

end program
