! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! module limequat over MPI, on any number of ranks.
program over_mpi
  use mpi
  use limequat
  use check
  implicit none
  integer(c_int64_t), parameter :: extents(4) = [4, 4, 4, 8]
  type(lq_grid) :: grid
  type(lq_communicator) :: world
  complex(c_double), allocatable, target :: u(:, :, :, :, :, :, :), back(:, :, :, :, :, :, :)
  integer(c_int64_t), allocatable :: lower(:), box(:)
  character(200) :: message
  integer :: error, ranks, rank, status
  logical :: is_sound

  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  world = lq_mpi_communicator(MPI_COMM_WORLD)
  grid = lq_mpi_grid(extents, MPI_COMM_WORLD)
  call expect(lq_size(grid) == ranks .and. lq_rank(grid) == rank, 'the ranks of the communicator')
  call expect(product(lq_processes(grid)) == ranks, 'a process grid of all ranks')
  call lq_local_box(grid, lower, box)
  allocate (u(3, 3, 4, box(1), box(2), box(3), box(4)))
  allocate (back, mold=u)
  call fill(u, lower)

  call lq_write('field.ildg', grid, lq_gauge(u), options=[lq_option('overwrite', .true.)])
  if (rank == 0) call expect(holds(bytes_of('field.ildg'), ildg_payload(extents)), 'payload of ILDG')
  call lq_read('field.ildg', grid, lq_gauge(back))
  call expect(all(back == u), 'read again')
  call lq_verify('field.ildg', is_sound, communicator=world, options=[lq_option('physics', 'never')])
  call expect(is_sound, 'sound')

  call one_rank_errs()
  call one_rank_errs_everywhere()
  call regions()
  call another_process_grid()
  call ranks_in_an_order_of_their_own()
  call streams()
  call lq_free(grid)
  call lq_free(world)
  call MPI_Finalize(error)

contains

  ! All ranks hear of what is wrong on the last one.
  subroutine one_rank_errs()
    type(lq_named_text) :: options(1)
    options = [lq_option('verify', 'checksum')]
    if (rank == ranks - 1) options = [lq_option('verify', 'sometimes')]
    call lq_read('field.ildg', grid, lq_gauge(back), options=options, status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'sometimes') > 0, 'an option of one rank: '//message)
    if (rank == ranks - 1) then
      call lq_read('field.ildg', grid, lq_gauge(back(:, :, :, ::2, :, :, :)), status=status, message=message)
    else
      call lq_read('field.ildg', grid, lq_gauge(back), status=status, message=message)
    end if
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'gaps') > 0, 'a section of one rank: '//message)
  end subroutine

  ! Every procedure that takes options or texts is here by its name (tests/fortran/every_procedure.py).
  subroutine one_rank_errs_everywhere()
    type(lq_named_text), allocatable :: options(:)
    type(lq_pending) :: pending
    type(lq_writer) :: writer
    type(lq_region_writer) :: by_region
    type(lq_file) :: file
    type(lq_multifile_writer) :: set
    type(lq_multifile_reader) :: reader
    type(lq_checkpoints) :: folder
    character(:), allocatable :: json
    logical :: answer
    allocate (options(0))
    if (rank == ranks - 1) options = [lq_option('no_such_option', 1)]

    call lq_read('field.ildg', grid, lq_gauge(back), options=options, status=status, message=message)
    call refused('read_field')
    call lq_write('new.ildg', grid, lq_gauge(u), options=options, status=status, message=message)
    call refused('write_field')
    call lq_read_async('field.ildg', grid, lq_gauge(back), pending, options=options, status=status, message=message)
    call refused('lq_read_async')
    call lq_write_async('new.ildg', grid, lq_gauge(u), pending, options=options, status=status, message=message)
    call refused('lq_write_async')
    call lq_create('new.lime', grid, writer, options=options, status=status, message=message)
    call refused('lq_create')
    call lq_region_writer_create('new.ildg', grid, lq_gauge(u), by_region, options=options, status=status, message=message)
    call refused('lq_region_writer_create')
    call lq_open('field.ildg', file, world, options=options, status=status, message=message)
    call refused('lq_open')
    call lq_open('field.ildg', file, world)
    call lq_read(file, grid, lq_gauge(back), options=options, status=status, message=message)
    call refused('read_from_file')
    call lq_free(file)
    call lq_inspect('field.ildg', json, world, options=options, status=status, message=message)
    call refused('lq_inspect')
    call lq_verify('field.ildg', answer, communicator=world, options=options, status=status, message=message)
    call refused('lq_verify')
    call lq_convert('field.ildg', 'new.lime', world, options=options, status=status, message=message)
    call refused('lq_convert')
    call lq_diff('field.ildg', 'field.ildg', answer, communicator=world, options=options, status=status, message=message)
    call refused('lq_diff')
    call lq_multifile_create('new.sion', set, world, options=options, status=status, message=message)
    call refused('lq_multifile_create')
    call lq_multifile_create('there.sion', set, world, options=[lq_option('overwrite', .true.)])
    call lq_write(set, 'u', grid, lq_gauge(u), options=options, status=status, message=message)
    call refused('write_to_multifile')
    call lq_write(set, 'u', grid, lq_gauge(u))
    call lq_close(set)
    call lq_multifile_append('there.sion', set, world, options=options, status=status, message=message)
    call refused('lq_multifile_append')
    call lq_multifile_open('there.sion', reader, world, options=options, status=status, message=message)
    call refused('lq_multifile_open')
    call lq_checkpoints_open('folder_of_checkpoints', folder, world, options=options, status=status, message=message)
    call refused('lq_checkpoints_open')
    call lq_multifile_open('there.sion', reader, world)
    call lq_read(reader, 'u', grid, lq_gauge(back), options=options, status=status, message=message)
    call refused('read_from_multifile')
    call lq_free(reader)
  end subroutine

  ! Each rank gives every time slice whose number it has modulo the ranks, wherever its sites belong; first without the last slice.
  subroutine regions()
    type(lq_region_writer) :: by_region
    complex(c_double), allocatable, target :: slice(:, :, :, :, :, :, :)
    integer :: t
    allocate (slice(3, 3, 4, 4, 4, 4, 1))
    call lq_region_writer_create('regions.ildg', grid, lq_gauge(u), by_region, options=[lq_option('overwrite', .true.)])
    do t = rank, 6, ranks
      call fill(slice, [0_c_int64_t, 0_c_int64_t, 0_c_int64_t, int(t, c_int64_t)])
      call lq_write(by_region, [0, 0, 0, t], [4, 4, 4, 1], lq_gauge(slice))
    end do
    call lq_close(by_region, status=status, message=message)
    call expect(status == LQ_WRONG_STATE .and. index(message, 'regions.ildg') > 0, 'the last slice is missing: '//message)
    if (rank == 0) then
      call fill(slice, [0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 7_c_int64_t])
      call lq_write(by_region, [0, 0, 0, 7], [4, 4, 4, 1], lq_gauge(slice))
    end if
    call lq_close(by_region)
    if (rank == 0) call expect(holds(bytes_of('regions.ildg'), ildg_payload(extents)), 'payload of ILDG, by region')
    back = 0
    call lq_read('regions.ildg', grid, lq_gauge(back))
    call expect(all(back == u), 'regions read again')
  end subroutine

  subroutine refused(procedure)
    character(*), intent(in) :: procedure
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'no_such_option') > 0, procedure//': '//message)
  end subroutine

  ! Backwards along t: by a table, and by the place of each rank.
  subroutine ranks_in_an_order_of_their_own()
    type(lq_grid) :: other
    integer(c_int64_t) :: processes(4), place(4)
    integer(c_int) :: table(ranks)
    integer :: i
    processes = [1, 1, 1, ranks]
    place = [0, 0, 0, ranks - 1 - rank]
    table = [(ranks - i, i=1, ranks)]
    other = lq_mpi_grid(extents, MPI_COMM_WORLD, processes=processes, ranks=table)
    call lq_local_box(other, lower, box)
    call expect(lower(4) == place(4) * box(4), 'the place of a rank in a table')
    call lq_free(other)
    other = lq_mpi_grid(extents, MPI_COMM_WORLD, processes=processes, coordinates=place)
    call lq_local_box(other, lower, box)
    call expect(lower(4) == place(4) * box(4), 'coordinates of a rank')
    call lq_free(other)
    other = lq_mpi_grid(extents, MPI_COMM_WORLD, processes=processes, ranks=[table, 0_c_int], status=status)
    call expect(status == LQ_INVALID_ARGUMENT, 'a table of another size')
    other = lq_mpi_grid(extents, MPI_COMM_WORLD, processes=processes, coordinates=place(:3), status=status)
    call expect(status == LQ_INVALID_ARGUMENT, 'coordinates in three dimensions')
  end subroutine

  subroutine another_process_grid()
    type(lq_grid) :: other
    type(lq_field_info) :: info
    integer, allocatable :: lattice(:)
    integer(c_int64_t) :: processes(4)
    processes = [ranks, 1, 1, 1]
    other = lq_mpi_grid(extents, MPI_COMM_WORLD, processes=processes)
    call expect(all(lq_processes(other) == processes), 'the process grid asked for')
    call lq_local_box(other, lower, box)
    deallocate (u, back)
    allocate (u(3, 3, 4, box(1), box(2), box(3), box(4)))
    allocate (back, mold=u)
    call fill(u, lower)
    call lq_read('field.ildg', other, lq_gauge(back))
    call expect(all(back == u), 'read on another process grid')
    call lq_free(other)
    other = lq_mpi_grid([4, 4, 4, 8], MPI_COMM_WORLD, processes=[ranks, 1, 1, 1])
    call expect(all(lq_processes(other) == processes) .and. lq_volume(other) == 512, 'default integers')
    call lq_free(other)
    call lq_lattice('field.ildg', lattice, communicator=world)
    info = lq_field_info('field.ildg', communicator=world)
    call expect(all(lattice == extents) .and. info%kind == 'gauge' .and. info%bytes == 512*576, 'asked by all ranks')
    other = lq_mpi_grid(extents, MPI_COMM_WORLD, processes=[1_c_int64_t], status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'a process grid of one dimension: '//message)
    other = lq_mpi_grid(extents, MPI_COMM_NULL, status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'MPI_COMM_NULL') > 0, 'no communicator: '//message)
  end subroutine

  subroutine streams()
    type(lq_multifile_writer) :: writer
    type(lq_multifile_reader) :: reader
    integer(c_int64_t) :: got
    integer :: mine(100), seen(100)
    mine = rank
    call lq_multifile_create('run.sion', writer, communicator=world, options=[lq_option('overwrite', .true.)])
    call lq_write(writer, mine)
    call lq_close(writer)
    call lq_multifile_open('run.sion', reader, communicator=world)
    call expect(lq_tasks(reader) == ranks, 'a stream for each rank')
    call lq_read(reader, int(rank, c_int64_t), 0_c_int64_t, seen, got)
    call expect(got == 400 .and. all(seen == rank), 'the own one')
    call lq_free(reader)
  end subroutine
end program
