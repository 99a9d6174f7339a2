! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! A multifile of one process through module sion_f90, and all that can be asked about it.
program modules_serial
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr, c_int8_t, c_int64_t, c_intptr_t
  use sion_f90
  implicit none
  integer, parameter :: tasks = 3, seed = 9
  integer :: sizes(tasks) = [250, 1100, 0]
  integer :: sid, ierr, ntasks, nfiles, fsblksize
  character(len=2) :: mode = "wb"

  call write_it()
  call read_it()
  call ask_a_set()
  print '(a)', "ok"

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(a)', what
    error stop 1
  end subroutine require

  ! Byte i of task r: (31 i + 57 r + 7 (i / 256) + 13 seed) modulo 256.
  function formula(r, first, n) result(bytes)
    integer, intent(in) :: r, first, n
    integer(c_int8_t) :: bytes(n)
    integer :: i, value
    do i = first, first + n - 1
      value = modulo(31 * i + 57 * r + 7 * (i / 256) + 13 * seed, 256)
      if (value > 127) value = value - 256
      bytes(i - first + 1) = int(value, c_int8_t)
    end do
  end function formula

  subroutine write_it()
    integer(8) :: chunksizes(tasks) = [300, 600, 100]
    integer :: ranks(tasks) = [0, 1, 2]
    integer :: task, done, n
    integer(8) :: rc
    ntasks = tasks
    nfiles = 1
    fsblksize = 256
    call fsion_open("serial.sion", mode, ntasks, nfiles, chunksizes(1), fsblksize, ranks(1), sid)
    call require(sid >= 0, "open for writing")
    do task = 0, tasks - 1
      call fsion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS, ierr)
      call require(ierr == sion_success, "seek")
      done = 0
      do while (done < sizes(task + 1))
        n = min(250, sizes(task + 1) - done)
        call fsion_ensure_free_space(sid, int(n, 8), ierr)
        call require(ierr == sion_success, "free space")
        call fsion_write(formula(task, done, n), 1_8, int(n, 8), sid, rc)
        call require(rc == n, "write")
        done = done + n
      end do
    end do
    call fsion_close(sid, ierr)
    call require(ierr == sion_success, "close")
  end subroutine write_it

  subroutine read_it()
    integer(8) :: chunksizes(tasks), ignored, globalskip, tail, p(4), rc, avail
    integer :: ranks(tasks), nothing, eof, task, done, maxblocks, endianness, needed, number
    integer(c_int8_t) :: bytes(1100)
    integer(c_int64_t), pointer :: counts(:)
    type(c_ptr) :: address

    ! As in programs that give scalars: reading fills no arrays.
    ignored = -5
    call fsion_open("serial.sion", "rb", ntasks, nfiles, ignored, fsblksize, nothing, sid)
    call require(sid >= 0 .and. ntasks == tasks .and. nfiles == 1 .and. fsblksize == 256, "open for reading")
    call require(ignored == -5, "no chunk sizes were stored")
    call fsion_get_chunksizes(sid, chunksizes, ierr)
    call require(ierr == sion_success .and. all(chunksizes == [512, 768, 256]), "chunk sizes")
    call fsion_get_globalranks(sid, ranks(1), ierr)
    call require(ierr == sion_success .and. all(ranks == [0, 1, 2]), "global ranks")
    call fsion_get_locations(sid, ntasks, maxblocks, globalskip, tail, p(1), p(2), p(3), p(4), ierr)
    call require(maxblocks == 2 .and. globalskip == 1536 .and. tail == 1280 + 2 * 1536, "locations")
    address = transfer(int(p(3), c_intptr_t), address)
    call c_f_pointer(address, counts, [tasks])
    call require(all(counts == [1, 2, 1]), "addresses of arrays")
    call fsion_get_file_endianness(sid, endianness)
    call fsion_get_endianess(number)
    call fsion_endianness_swap_needed(sid, needed)
    call require(endianness == number .and. needed == 0, "byte order")
    do task = 0, tasks - 1
      call fsion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS, ierr)
      done = 0
      do
        call fsion_feof(sid, eof)
        if (eof /= 0) exit
        avail = fsion_bytes_avail_in_block(sid)
        call fsion_read(bytes(done + 1), 1_8, avail, sid, rc)
        call require(rc == avail, "read")
        done = done + int(rc)
      end do
      call require(done == sizes(task + 1), "bytes of a task")
      call require(all(bytes(1:done) == formula(task, 0, done)), "data of a task")
    end do
    call fsion_seek(sid, 1, SION_ABSOLUTE_POS, 3_8, ierr)
    call require(fsion_get_position(sid) == 1280 + 512 + 3, "position")
    call fsion_get_fileno(sid, number)
    call require(number > 2, "descriptor")
    call fsion_close(sid, ierr)
    call swap_some()
  end subroutine read_it

  subroutine swap_some()
    integer :: values(2) = [int(z'01020304'), int(z'05060708')], turned(2)
    call fsion_swap(turned, values, 4, 2, 1, ierr)
    call require(ierr == 1 .and. all(turned == [int(z'04030201'), int(z'08070605')]), "swap")
    call fsion_swap(turned(1), turned(1), 4, 2, 1, ierr)
    call require(all(turned == values), "swap in place")
    call fsion_swap(turned, values, -4, 2, 1, ierr)
    call require(ierr == 0, "swap of a negative size")
  end subroutine swap_some

  ! A set of two files: its map, and one task alone.
  subroutine ask_a_set()
    character(len=1024) :: name
    integer(8) :: ignored, rc, chunksize
    integer :: nothing, map(2, 5), size, rank
    integer(c_int8_t) :: bytes(900)
    call get_command_argument(1, name)
    call fsion_open(name, "rb", ntasks, nfiles, ignored, fsblksize, nothing, sid)
    call fsion_get_mapping_spec(sid, size, nfiles, ierr)
    call require(size == 5 .and. nfiles == 2, "size of the map")
    call fsion_get_mapping(sid, map, ierr)
    call require(all(map == reshape([0, 0, 0, 1, 1, 0, 1, 1, 1, 2], [2, 5])), "map")
    call fsion_close(sid, ierr)
    rank = 2
    call fsion_open_rank(name, "rb", chunksize, fsblksize, rank, sid)
    call require(sid >= 0 .and. chunksize == 1024 .and. fsblksize == 512, "one task")
    call fsion_read(bytes, 1_8, 900_8, sid, rc)
    call require(rc == 900, "data of one task")
    call fsion_close(sid, ierr)
    call fsion_open("nosuch.sion", "rb", ntasks, nfiles, ignored, fsblksize, nothing, sid)
    call require(sid == -1, "no such file")
  end subroutine ask_a_set
end program modules_serial
