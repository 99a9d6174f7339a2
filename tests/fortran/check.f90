! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! What tests in Fortran expect; the first thing that is not so ends the program with exit code 1.
module check
  use, intrinsic :: iso_c_binding
  implicit none
contains

  subroutine expect(is_so, claim)
    logical, intent(in) :: is_so
    character(*), intent(in) :: claim
    if (.not. is_so) error stop 'not so: '//claim
  end subroutine

  function bytes_of(path) result(bytes)
    character(*), intent(in) :: path
    integer(c_int8_t), allocatable :: bytes(:)
    integer :: unit, length
    inquire (file=path, size=length)
    allocate (bytes(max(length, 0)))
    open (newunit=unit, file=path, access='stream', form='unformatted', status='old', action='read')
    read (unit) bytes
    close (unit)
  end function

  ! Those of the SU(3) field that a second program can make: number n of site (x, y, z, t), link mu, row i, column j.
  pure function number_at(x, mu, i, j) result(z)
    integer(c_int64_t), intent(in) :: x(4)
    integer, intent(in) :: mu, i, j
    complex(c_double) :: z
    z = cmplx(x(1) + 10*x(2) + 100*x(3) + 1000*x(4), mu + 10*i + 100*j, c_double)
  end function

  ! u(column, row, mu, x, y, z, t) of a box.
  subroutine fill(u, lower)
    complex(c_double), intent(out) :: u(:, :, :, :, :, :, :)
    integer(c_int64_t), intent(in) :: lower(4)
    integer :: i, j, mu, x, y, z, t
    do t = 1, size(u, 7)
      do z = 1, size(u, 6)
        do y = 1, size(u, 5)
          do x = 1, size(u, 4)
            do mu = 1, 4
              do i = 1, 3
                do j = 1, 3
                  u(j, i, mu, x, y, z, t) = number_at(lower + [x, y, z, t] - 1, mu, i, j)
                end do
              end do
            end do
          end do
        end do
      end do
    end do
  end subroutine

  ! The payload of an ILDG file of that field, big-endian, from the definition of the format: [t][z][y][x][mu][row][column].
  function ildg_payload(extents) result(bytes)
    integer(c_int64_t), intent(in) :: extents(4)
    integer(c_int8_t), allocatable :: bytes(:)
    complex(c_double) :: z
    integer(c_int64_t) :: x(4), site
    integer :: mu, i, j, at
    allocate (bytes(product(extents)*72*8))
    at = 0
    do site = 0, product(extents) - 1
      x = [mod(site, extents(1)), mod(site/extents(1), extents(2)), mod(site/(extents(1)*extents(2)), extents(3)), &
           site/(extents(1)*extents(2)*extents(3))]
      do mu = 1, 4
        do i = 1, 3
          do j = 1, 3
            z = number_at(x, mu, i, j)
            call put(real(z))
            call put(aimag(z))
          end do
        end do
      end do
    end do

  contains

    subroutine put(number)
      real(c_double), intent(in) :: number
      integer(c_int8_t) :: little(8)
      little = transfer(number, little)
      bytes(at + 1:at + 8) = little(8:1:-1)
      at = at + 8
    end subroutine
  end function

  ! Whether the bytes of `part` are in those of `whole`.
  logical function holds(whole, part)
    integer(c_int8_t), intent(in) :: whole(:), part(:)
    integer :: at
    holds = .true.
    do at = 1, size(whole) - size(part) + 1
      if (whole(at) /= part(1)) cycle
      if (all(whole(at:at + size(part) - 1) == part)) return
    end do
    holds = .false.
  end function
end module
