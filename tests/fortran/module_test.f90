! Copyright (c) 2026 The Limequat authors
! SPDX-License-Identifier: BSD-3-Clause
!
! module limequat in one process.
program module_test
  use limequat
  use check
  implicit none
  integer(c_int64_t), parameter :: extents(4) = [4, 2, 6, 3]
  type(lq_grid) :: grid
  complex(c_double), target, asynchronous :: u(3, 3, 4, 4, 2, 6, 3), back(3, 3, 4, 4, 2, 6, 3)
  character(200) :: message
  integer :: status

  if (command_argument_count() > 0) then
    grid = lq_self_grid(extents)
    call lq_read('nowhere.ildg', grid, lq_gauge(u))
  end if
  grid = lq_self_grid(extents)
  call fill(u, [0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t])
  call grids_are_known()
  call bytes_are_those_of_ildg()
  call precision_follows_the_type()
  call fields_of_any_rank()
  call errors_are_sentences()
  call fields_that_are_none()
  call memory_is_described()
  call transfers_in_the_background()
  call several_fields()
  call regions()
  call questions()
  call files_are_described()
  call default_integers()
  call streams()
  call checkpoints_are_loaded()
  call lq_free(grid)
  call lq_free(grid)  ! nothing any more

contains

  function over() result(options)
    type(lq_named_text) :: options(1)
    options = [lq_option('overwrite', .true.)]
  end function

  subroutine grids_are_known()
    integer(c_int64_t), allocatable :: lower(:), box(:)
    call expect(lq_volume(grid) == 144 .and. lq_local_volume(grid) == 144, 'volumes')
    call expect(lq_rank(grid) == 0 .and. lq_size(grid) == 1, 'rank 0 of 1')
    call lq_local_box(grid, lower, box)
    call expect(all(lower == 0) .and. all(box == extents), 'the box is the lattice')
    call expect(all(lq_processes(grid) == 1), 'one rank in each dimension')
    call expect(index(lq_version(), '.') > 1, 'a version')
  end subroutine

  subroutine bytes_are_those_of_ildg()
    type(lq_report) :: report
    ! [options]
    call lq_write('field.ildg', grid, lq_gauge(u), options=[lq_option('overwrite', .true.), &
                  lq_option('block_bytes', 8192)], metadata=[lq_metadata('xlf-info', 'plaquette = 0.5')], report=report)
    ! [/options]
    call expect(report%bytes == 144*72*8, 'bytes of the payload')
    call expect(holds(bytes_of('field.ildg'), ildg_payload(extents)), 'payload of ILDG')
    back = 0
    call lq_read('field.ildg', grid, lq_gauge(back), report=report)
    call expect(all(back == u), 'read again')
    call expect(report%checksum_status == LQ_CHECKSUM_OK, 'checksum compared')
  end subroutine

  subroutine precision_follows_the_type()
    complex(c_float), target :: single(3, 3, 4, 4, 2, 6, 3)
    type(lq_report) :: report
    single = 0
    call lq_read('field.ildg', grid, lq_gauge(single))
    call expect(all(single == cmplx(u, kind=c_float)), 'read in single precision')
    call lq_write('single.ildg', grid, lq_gauge(single), options=over(), report=report)
    call expect(report%bytes == 144*72*4, 'written in single precision')
    call lq_write('single.ildg', grid, lq_gauge(u), report=report, &
                  options=[lq_option('overwrite', 1), lq_option('precision', 'single')])
    call expect(report%bytes == 144*72*4, 'double in memory, single in the file')
  end subroutine

  subroutine fields_of_any_rank()
    real(c_double), allocatable, target :: flat(:), scalars(:, :)
    allocate (flat(144*72), scalars(5, 144))
    call lq_read('field.ildg', grid, lq_gauge(flat))
    call expect(all(flat == transfer(u, flat)), 'one row of real numbers')
    call random_number(scalars)
    call lq_write('sites.lime', grid, lq_sites(scalars, 5_c_int64_t), options=over())
    flat = 0
    call lq_read('sites.lime', grid, lq_sites(flat(:720), 5_c_int64_t))
    call expect(all(flat(:720) == reshape(scalars, [720])), 'numbers of sites')
    call assumed_size(u)
  end subroutine

  subroutine assumed_size(v)
    complex(c_double), intent(inout), target :: v(3, 3, 4, *)
    v(:, :, :, 1) = 0
    call lq_read('field.ildg', grid, lq_gauge(v))
    call expect(v(2, 1, 1, 1) == number_at([0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t], 1, 1, 2), &
                'an array of assumed size')
  end subroutine

  subroutine errors_are_sentences()
    ! [error]
    call lq_read('nowhere.ildg', grid, lq_gauge(back), status=status, message=message)
    call expect(status == LQ_NOT_FOUND .and. index(message, 'nowhere.ildg') == 1, 'not found: '//message)
    ! [/error]
    call expect(lq_status_name(status) == 'not_found', 'the name of the code')
    call lq_write('field.ildg', grid, lq_gauge(u), status=status, message=message)
    call expect(status == LQ_EXISTS, 'exists: '//message)
    call lq_write('field.ildg', grid, lq_gauge(u), options=[lq_option('presicion', 'single')], status=status, &
                  message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'precision') > 0, 'unknown option: '//message)
    call lq_read('field.ildg', grid, lq_gauge(back), status=status, message=message)
    call expect(status == LQ_OK .and. message == '', 'no message where nothing fails')
  end subroutine

  subroutine fields_that_are_none()
    integer :: numbers(10)
    real(c_double), allocatable, target :: not_there(:)
    numbers = 0
    call lq_write('none.ildg', grid, lq_gauge(numbers), status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'real or complex') > 0, 'integers: '//message)
    call lq_write('none.ildg', grid, lq_gauge(u(:, :, :, ::2, :, :, :)), status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'section with gaps') > 0, 'section: '//message)
    call lq_read('field.ildg', grid, lq_gauge(u(:, :, :, :, :, :, 1:2)), status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'too short: '//message)
    allocate (not_there(0))
    call lq_read('field.ildg', grid, lq_gauge(not_there), status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'nothing: '//message)
  end subroutine

  ! Sites from the last to the first, by a table of their places; numbers count from 0.
  subroutine memory_is_described()
    ! [places]
    integer(c_int64_t), target :: table(144)
    character(kind=c_char, len=20), target :: words
    type(lq_places), target :: places
    type(lq_field) :: field
    complex(c_double), allocatable :: by_site(:, :)
    integer :: i
    words = 'places=of-sites'//c_null_char
    table = [(144 - i, i=1, 144)]
    places = lq_places(c_loc(table), size(table))
    field = lq_gauge(back)
    field%memory = c_loc(words)
    field%context = c_loc(places)
    call lq_read('field.ildg', grid, field)
    ! [/places]
    by_site = reshape(u, [36, 144])
    call expect(all(reshape(back, [36, 144]) == by_site(:, 144:1:-1)), 'sites from the last to the first')
    words = 'milc'//c_null_char
    call lq_read('field.ildg', grid, field, status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'does not state of what') > 0, 'no table: '//message)
  end subroutine

  subroutine transfers_in_the_background()
    type(lq_pending) :: pending
    logical :: done
    ! [background]
    call lq_write_async('behind.ildg', grid, lq_gauge(u), pending, options=over())
    call lq_test(pending, done)
    call lq_wait(pending)
    ! [/background]
    call expect(holds(bytes_of('behind.ildg'), ildg_payload(extents)), 'written in the background')
    back = 0
    call lq_read_async('behind.ildg', grid, lq_gauge(back), pending)
    call lq_wait(pending)
    call expect(all(back == u), 'read in the background')
    call lq_write_async('given_up.ildg', grid, lq_gauge(u), pending)
    call lq_cancel(pending)
    inquire (file='given_up.ildg', exist=done)
    call expect(.not. done, 'given up')
    call lq_wait(pending, status=status)
    call expect(status == LQ_INVALID_ARGUMENT, 'nothing to wait for')
  end subroutine

  subroutine several_fields()
    type(lq_writer) :: writer
    type(lq_file) :: file
    character(:), allocatable :: json
    complex(c_double), allocatable, target :: psi(:, :, :), seen(:, :, :)
    integer :: source
    allocate (psi(3, 4, 144), seen(3, 4, 144))
    ! [several]
    call lq_create('sources.lime', grid, writer, options=over())
    do source = 1, 3
      psi = cmplx(source, -source, c_double)
      call lq_write(writer, 'source', lq_spinor(psi), metadata=[lq_metadata('number', achar(48 + source))])
    end do
    call lq_record(writer, 'note', 'three of them')
    call lq_close(writer)
    call lq_open('sources.lime', file)
    call lq_catalog(file, json)
    call expect(index(json, '"note"') > 0, 'the record is known')
    call lq_read(file, grid, lq_spinor(seen), options=[lq_option('field', 'source'), lq_option('index', 1)])
    ! [/several]
    call expect(all(seen == (2d0, -2d0)), 'the second of that name')
    call lq_read(file, grid, lq_spinor(seen), options=[lq_option('field', 'sink')], status=status)
    call expect(status == LQ_NO_SUCH_RECORD, 'no such field')
    call lq_free(file)
    call lq_create('abandoned.lime', grid, writer)
    call lq_free(writer)
  end subroutine

  ! Time slices from the last to the first, then the file against what one call writes; holes and bad regions are refused.
  subroutine regions()
    type(lq_region_writer) :: by_region
    integer :: t
    ! [regions]
    call lq_region_writer_create('regions.ildg', grid, lq_gauge(u), by_region, options=over())
    do t = 2, 0, -1
      call lq_write(by_region, [0, 0, 0, t], [4, 2, 6, 1], lq_gauge(u(:, :, :, :, :, :, t + 1)))
    end do
    call lq_close(by_region)
    ! [/regions]
    call expect(holds(bytes_of('regions.ildg'), ildg_payload(extents)), 'payload of ILDG, by region')
    back = 0
    call lq_read('regions.ildg', grid, lq_gauge(back), options=[lq_option('verify', 'checksum')])
    call expect(all(back == u), 'regions read again')

    call lq_region_writer_create('holes.ildg', grid, lq_gauge(u), by_region, metadata=[lq_metadata('xlf-info', 'beta = 6')])
    call lq_write(by_region, [0, 0, 0, 0], [4, 2, 6, 2], lq_gauge(u(:, :, :, :, :, :, :2)))
    call expect(lq_missing(by_region) == 48, 'a slice is missing')
    call lq_close(by_region, status=status, message=message)
    call expect(status == LQ_WRONG_STATE .and. index(message, 'holes.ildg') > 0, 'holes: '//message)
    call expect(.not. is_there('holes.ildg'), 'a file with holes has no name')
    call lq_write(by_region, [0, 0, 2], [4, 2, 6], lq_gauge(u), status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. index(message, 'each dimension') > 0, 'three numbers: '//message)
    call lq_write(by_region, [0, 0, 0, 2], [4, 2, 6, 2], lq_gauge(u), status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'outside: '//message)
    call lq_write(by_region, [0, 0, 0, 2], [4, 2, 6, 1], lq_gauge(u(:, :, :, :, :, :2, 1)), status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'too short: '//message)
    call lq_write(by_region, [0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 2_c_int64_t], [extents(:3), 1_c_int64_t], &
                  lq_gauge(u(:, :, :, :, :, :, 3)))
    call expect(lq_missing(by_region) == 0, 'nothing is missing')
    call lq_close(by_region)
    call expect(holds(bytes_of('holes.ildg'), ildg_payload(extents)), 'complete after all')
    call remove_file('holes.ildg')
    call lq_close(by_region, status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'closed twice: '//message)
    t = int(lq_missing(by_region, status=status))
    call expect(status == LQ_INVALID_ARGUMENT, 'no writer')
    call lq_write(by_region, [0, 0, 0, 0], [4, 2, 6, 3], lq_gauge(u), status=status)
    call expect(status == LQ_INVALID_ARGUMENT, 'no writer either')

    call lq_region_writer_create('abandoned.ildg', grid, lq_gauge(u), by_region)
    call lq_free(by_region)
    call lq_free(by_region)
    call expect(.not. is_there('abandoned.ildg'), 'abandoned')
  end subroutine

  logical function is_there(path)
    character(*), intent(in) :: path
    inquire (file=path, exist=is_there)
  end function

  subroutine remove_file(path)
    character(*), intent(in) :: path
    integer :: unit
    open (newunit=unit, file=path, status='old')
    close (unit, status='delete')
  end subroutine

  subroutine questions()
    logical :: is_sound, is_same
    character(:), allocatable :: json
    call lq_verify('field.ildg', is_sound, options=[lq_option('physics', 'never')])
    call expect(is_sound, 'sound')
    ! [questions]
    call lq_convert('field.ildg', 'field.scidac', options=[lq_option('overwrite', .true.), lq_option('format', 'scidac')])
    call lq_diff('field.ildg', 'field.scidac', is_same, json, options=[lq_option('tolerance', 1d-12)])
    ! [/questions]
    call expect(is_same .and. index(json, '{') == 1 .and. index(json, '}') == len(json), 'converted')
    call lq_inspect('field.scidac', json)
    call expect(index(json, '"scidac"') > 0, 'the format is known')
    call lq_convert('field.ildg', 'field.scidac', options=[lq_option('formt', 'scidac')], status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'no such option: '//message)
  end subroutine

  subroutine files_are_described()
    integer(c_int64_t), allocatable :: wide(:)
    type(lq_writer) :: writer
    complex(c_float), target :: psi(3, 4, 144)
    real(c_double), target :: scalars(144)
    ! [lattice]
    integer, allocatable :: lattice(:)
    type(lq_field_info) :: info
    call lq_lattice('field.ildg', lattice)
    info = lq_field_info('field.ildg')
    call expect(info%kind == 'gauge' .and. info%bytes == product(lattice)*info%site_bytes, 'known before it is read')
    ! [/lattice]
    call expect(all(lattice == extents) .and. size(lattice) == 4, 'the lattice')
    call lq_lattice('field.ildg', wide)
    call expect(all(wide == extents) .and. size(wide) == 4, 'the lattice in 64 bits')
    call expect(info%precision == 'double' .and. info%colors == 3 .and. info%links == 4 .and. info%is_complex, 'links')
    call expect(info%numbers == 72 .and. info%site_bytes == 576 .and. info%bytes == 144*576, 'sizes')
    call expect(info%has_checksum .and. info%suma > 0 .and. info%has_plaquette .and. info%plaquette == 0.5d0, 'stated')
    call expect(all(info%extents == extents) .and. .not. info%has_link_trace .and. info%offset > 0, 'its place')
    call expect(lq_field_count('field.ildg') == 1, 'one field')

    call lq_create('several.lime', grid, writer, options=over())
    psi = 1
    scalars = 2
    call lq_write(writer, 'source', lq_spinor(psi))
    call lq_write(writer, 'density', lq_sites(scalars, 1_c_int64_t))
    call lq_close(writer)
    call expect(lq_field_count('several.lime') == 2, 'two fields')
    info = lq_field_info('several.lime', 0)
    call expect(info%name == 'source' .and. info%kind == 'spinor' .and. info%precision == 'single' .and. info%spins == 4, &
                'a spinor')
    info = lq_field_info('several.lime', 1)
    call expect(info%name == 'density' .and. info%kind == 'generic' .and. info%numbers == 1 .and. .not. info%is_complex, &
                'numbers')
    call lq_lattice('several.lime', lattice, number=1)
    call expect(all(lattice == extents), 'the lattice of another field')

    info = lq_field_info('several.lime', 2, status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT .and. .not. allocated(info%extents), 'beyond the last: '//message)
    info = lq_field_info('several.lime', -1, status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'before the first: '//message)
    call lq_lattice('nowhere.ildg', lattice, status=status, message=message)
    call expect(status == LQ_NOT_FOUND .and. index(message, 'nowhere.ildg') == 1 .and. size(lattice) == 0, message)
    call expect(lq_field_count('nowhere.ildg', status=status) == 0 .and. status == LQ_NOT_FOUND, 'no file has no field')
  end subroutine

  subroutine default_integers()
    type(lq_grid) :: small
    integer, allocatable :: lower(:), box(:)
    ! [integers]
    small = lq_self_grid([4, 2, 6, 3])
    call lq_local_box(small, lower, box)
    ! [/integers]
    call expect(lq_volume(small) == 144 .and. all(lower == 0) .and. all(box == [4, 2, 6, 3]), 'extents of 32 bits')
    call lq_free(small)
    small = lq_self_grid([4, 0], status=status, message=message)
    call expect(status == LQ_INVALID_ARGUMENT, 'an extent of 0: '//message)
  end subroutine

  subroutine streams()
    type(lq_multifile_writer) :: writer
    type(lq_multifile_reader) :: reader
    integer(c_int64_t) :: got, first, tasks, begin, bytes
    real(c_double) :: numbers(10, 10), seen(5, 5)
    call random_number(numbers)
    ! [streams]
    call lq_multifile_create('run.sion', writer, options=[lq_option('overwrite', .true.), lq_option('streams', 2)])
    call lq_write(writer, numbers)
    call lq_write(writer, numbers(::2, ::2), stream=1)  ! a section, packed
    call lq_write(writer, 'field', grid, lq_gauge(u))
    call lq_close(writer)
    ! [/streams]
    call lq_multifile_open('run.sion', reader)
    call expect(lq_tasks(reader) == 2 .and. lq_size(reader, 0_c_int64_t) == 800, 'two streams')
    call lq_share(reader, first, tasks, begin, bytes)
    call expect(first == 0 .and. tasks == 2 .and. bytes == 1000, 'all of them are mine')
    ! [streams_read]
    call lq_read(reader, 1_c_int64_t, 0_c_int64_t, seen, got)
    ! [/streams_read]
    call expect(got == 200 .and. all(seen == numbers(::2, ::2)), 'the section')
    call lq_read(reader, 0_c_int64_t, 760_c_int64_t, seen, got)
    call expect(got == 40 .and. all(seen(:, 1) == numbers(6:, 10)), 'up to the end')
    back = 0
    call lq_read(reader, 'field', grid, lq_gauge(back))
    call expect(all(back == u), 'the field beside them')
    call lq_free(reader)
  end subroutine

  subroutine checkpoints_are_loaded()
    type(lq_checkpoints) :: folder
    type(lq_checkpoint) :: newest
    type(lq_multifile_reader) :: reader
    integer(c_int64_t) :: step, got, before, first
    integer(c_int64_t), target :: numbers(5), numbers_back(5)
    integer(c_int32_t) :: seed(4), seed_back(4)
    logical :: found
    character(300) :: why
    integer :: code, k
    call execute_command_line('rm -rf folder_of_checkpoints')
    ! [checkpoints]
    call lq_checkpoints_open('folder_of_checkpoints', folder, options=[lq_option('keep', 2)])
    call lq_load_newest(folder, newest, found, before)
    ! [/checkpoints]
    call expect(.not. found .and. before == 0, 'no checkpoint yet')
    numbers = [1, 2, 3, 4, 5]
    do k = 1, 3
      first = k
      seed = [k, 2, 3, 4]
      ! [save]
      call lq_add_field(folder, 'u', grid, lq_gauge(u))
      call lq_add_stream(folder, numbers)
      call lq_add_state(folder, 'seed', seed)
      call lq_save_checkpoint(folder, first, in_background=.true.)
      call lq_wait_for_checkpoint(folder)
      ! [/save]
    end do
    call lq_checkpoints_open('folder_of_checkpoints', folder, status=code, message=why)
    call expect(code == LQ_WRONG_STATE .and. index(why, 'another job') > 0, 'two jobs in one folder')
    call lq_load_newest(folder, newest, found, step)
    call expect(found .and. step == 3, 'the newest')
    back = 0
    call lq_load_field(newest, 'u', grid, lq_gauge(back))
    call expect(all(back == u), 'the field of the checkpoint')
    call lq_load_state(newest, 'seed', seed_back)
    call expect(all(seed_back == [3, 2, 3, 4]), 'the state of the checkpoint')
    call lq_load_state(newest, 'seed', numbers_back, status=code, message=why)
    call expect(code == LQ_INVALID_ARGUMENT .and. index(why, '16 bytes') > 0, 'a state of another size')
    call lq_load_streams(newest, reader)
    call lq_read(reader, 0_c_int64_t, 0_c_int64_t, numbers_back, got)
    call expect(got == 40 .and. all(numbers_back == numbers), 'the stream of the checkpoint')
    call lq_free(reader)
    call lq_save_checkpoint(folder, -1_c_int64_t, status=code)
    call expect(code == LQ_INVALID_ARGUMENT, 'a step below 0')
    call lq_free(newest)
    call lq_free(folder)
  end subroutine
end program
