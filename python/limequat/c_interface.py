# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The functions and types of limequat.h, which structs.py reads; made by tools/make_bindings.py.

A function: name result arguments. A struct: name member:type ... A type of function: name result arguments. Types: v void, i int,
l int64_t, u uint64_t, w uint32_t, z size_t, d double, c char, s text, p a pointer; I, L, U, D, S pointers to these; T a pointer to a pointer
that is filled; NAME of a struct or a type of function, *NAME a pointer to a struct, (TYPES) a function, TYPE[N] an array.
"""

FUNCTIONS = """\
assess i p T; build_parts i T; callback_file_create i *read_callbacks T; callback_file_free v p; callback_file_path s p; catalog_field
i p u *field_info; catalog_field_metadata i p u u *metadata; catalog_file i p *file_info; catalog_finding i p u *finding; catalog_free
v p; catalog_metadata i p u *metadata; catalog_open i s p T; catalog_record i p u *record_info; catalogue_options_init i p z;
catalogue_options_set i p s s; charge_density i p field D; check_interrupts v interrupt_check p; checkpoint_free v p; checkpoint_info
i p T; checkpoint_list_options_init i p z; checkpoint_list_options_set i p s s; checkpoint_read_field i p s p field p;
checkpoint_read_state i p s p u; checkpoint_state i p s T U; checkpoint_step u p; checkpoint_streams i p p T; checkpoints_add_field i
p s p field p; checkpoints_add_state i p s p u; checkpoints_add_stream i p p u; checkpoints_forget_added i p; checkpoints_forget_marks
i p; checkpoints_free v p; checkpoints_list i s p T; checkpoints_load_newest i p T; checkpoints_open i s p T; checkpoints_options_init
i p z; checkpoints_options_set i p s s; checkpoints_prune i p T; checkpoints_reject i p p s; checkpoints_save i p u T;
checkpoints_save_async i p u; checkpoints_test i p I; checkpoints_wait i p T; communicator_agree i p *failure; communicator_create i
*operations T; communicator_free v p; communicator_rank i p; communicator_size i p; convert i s s p T; convert_options_init i p z;
convert_options_set i p s s; copy i S u s p T; copy_options_init i p z; copy_options_set i p s s; count_not_finite i p field U;
defragment i s s p T; diagnose i s p I T; diagnose_options_init i p z; diagnose_options_set i p s s; diff i s s p I T;
diff_options_init i p z; diff_options_set i p s s; error_code i; error_errno i; error_expected s; error_found s; error_json s;
error_offset l; error_path s; error_rank i; error_record s; error_text s; explain i s p T; export_virtual i s s p; extract i s s u s p
T; file_catalog i p T; file_free v p; file_open i s p T; file_read i p p field p; file_read_async i p p field p T; file_read_record i
p s u sink p; file_system_of i s T; find i s p T; formats i T; gauge_f32 field p; gauge_f64 field p; generate i p field p;
generate_options_init i p z; generate_options_set i p s s; grid_agree i p *failure; grid_create i L i p p T; grid_dimensions i p;
grid_extents i p L; grid_free v p; grid_local_box i p L L; grid_local_volume u p; grid_options_init i p z; grid_processes i p L;
grid_rank i p; grid_self i L i T; grid_size i p; grid_volume u p; hdf5_attribute i p s s T; hdf5_attributes i p s hdf5_visit_attribute
p; hdf5_catalog i p T; hdf5_cd i p s; hdf5_close i p; hdf5_copy i p s s; hdf5_exists i p s I; hdf5_flush i p; hdf5_free v p; hdf5_ls i
p s hdf5_visit p; hdf5_mkdir i p s; hdf5_open i s i p T; hdf5_options_init i p z; hdf5_options_set i p s s; hdf5_pop i p; hdf5_push i
p s; hdf5_pwd s p; hdf5_read i p s T; hdf5_read_field i p s p field p; hdf5_remove i p s; hdf5_remove_attribute i p s s; hdf5_rename i
p s s; hdf5_set_attribute i p s s *hdf5_array; hdf5_stat i p s *hdf5_facts; hdf5_value_array *hdf5_array p; hdf5_value_free v p;
hdf5_value_status i p; hdf5_write i p s *hdf5_array i; hdf5_write_field i p s p field p; ildg_check i s s p I T; ildg_document i s p
T; ildg_lfn i s p T; index i S u p T; inspect i s p T; is_device_memory i p; link_trace i p field D; measure i p field T;
memory_arrays i s i I I; memory_check i s; modes_append i s p p T; modes_convert i s s i u u i p; modes_convert_coherent i s s i u L d
i p; modes_convert_reported i s s s l i L i u u u L d p p T; modes_convert_vectors i s s s l i L i u u i p; modes_convert_with i s s s
l i L i u u u L d p p; modes_create i s p *modes_description p T; modes_description_init i *modes_description z; modes_error i p u D;
modes_family s p; modes_free v p; modes_known i p *modes_description; modes_mode i p u *mode; modes_open i s p T; modes_open_vectors i
s l i L p T; modes_read i p u p field p; modes_read_async i p u p field p T; modes_size u p; modes_write i s p *modes_description
*field *mode z p; modes_write_reported i s p *modes_description *field *mode z p T; modes_writer_append i p field *mode T;
modes_writer_close i p; modes_writer_free v p; modes_writer_size u p; multifile_append i s p T; multifile_close i p; multifile_create
i s p T; multifile_discard i p; multifile_fields i p T; multifile_flush i p i; multifile_info i p T; multifile_known i p
*multifile_facts; multifile_open i s p T; multifile_options_init i p z; multifile_options_set i p s s; multifile_read i p l u p u U;
multifile_read_field i p s p field p; multifile_read_options_init i p z; multifile_read_options_set i p s s; multifile_reader_free v
p; multifile_repair i s s p T; multifile_repair_options_init i p z; multifile_repair_options_set i p s s; multifile_share i p L L U U;
multifile_size i p l U; multifile_stream i p i L U; multifile_tasks l p; multifile_verify i s I T; multifile_write i p i p u;
multifile_write_field i p s p field p; multifile_write_text i p i s; multifile_writer_free v p; node_cache_count i p
*node_cache_counts; node_cache_free v p; node_cache_open i s p u u T; node_cache_read i p u p u U; node_cache_size u p; observables i
p field p T; observables_options_init i p z; observables_options_set i p s s; options_json i T; pack i s S u p T; partition_element i
*file_array s u u U; partition_of i s *file_array s u T; partition_place i *file_array s u U U; pending_cancel i p; pending_free v p;
pending_test i p I; pending_wait i p T; plan i L L i field p T; plan_options_init i p z; plan_options_set i p s s; plaquette i p field
D; plaquette_density i p field D; propagator_f32 field p; propagator_f64 field p; protect i S u p T; protect_options_init i p z;
protect_options_set i p s s; qcdml_options_init i p z; qcdml_options_set i p s s; read i s p field p; read_async i s p field p T;
read_options_init i p z; read_options_set i p s s; read_record i s s u sink p; read_site i s L i p D u U; region_writer_close i p T;
region_writer_create i s p field p T; region_writer_free v p; region_writer_missing i p U; region_writer_write i p L L field;
repack_options_init i p z; repack_options_set i p s s; repair i s s p T; repartition i s s p T; repartition_options_init i p z;
repartition_options_set i p s s; report_page i S u s p T; require_replaceable i s s; scan_options_init i p z; scan_options_set i p s
s; scrub i p I T; sites_f32 field p u i; sites_f64 field p u i; spinor_f32 field p; spinor_f64 field p; squeeze i s s p T;
squeeze_options_init i p z; squeeze_options_set i p s s; status_name s i; stop v; text_free v p; unitarity i p field D; unpack i s s p
T; unsqueeze i s s p T; validate i s p T; verification_claim i p u *claim; verification_field i p u *field_verdict;
verification_finding i p u *finding; verification_free v p; verification_run i s p T; verification_verdict i p *verdict; verify i s p
I T; verify_below i S u p I T; verify_options_init i p z; verify_options_set i p s s; version s; view_close i p; view_free v p;
view_open i s s u *file_array i T; view_read i p p u U; view_read_all i p p u p u; view_seek i p u; view_size i p U; view_sync i p;
view_tell i p U; view_write i p p u; view_write_all i p p u p u; watch_stalls i d stall_tell p; write i s p field p; write_async i s p
field p T; write_options_init i p z; write_options_set i p s s; writer_close i p; writer_create i s p p T; writer_free v p;
writer_record i p s p z; writer_write i p s field *metadata z T"""

FUNCTION_TYPES = """\
hdf5_visit v s i s p; hdf5_visit_attribute v s *hdf5_array p; interrupt_check i p; progress v u u p; row_fetch v L i i u p p;
row_store v L i i u p p; sink v p u p; site_fetch v L i p p; site_store v L i p p; stall_tell v *stall p"""

STRUCTS = """\
checksum suma:w sumb:w; claim struct_size:z of:s name:s evidence:i outcome:i has_offset:i offset:u has_length:i length:u; difference
struct_size:z is_same:i largest_absolute:d largest_relative:d dimensions:i site:l[8] number:u a:d b:d differing_numbers:u
compared_numbers:u compared_fields:u unpaired_fields:u; failure struct_size:z status:i sentence:s path:s record:s expected:s found:s
offset:l system_errno:i; field kind:i precision:i colors:i spins:i links:i is_complex:i numbers:u data:p available:u order:I
order_length:i fetch:site_fetch store:site_store context:p problem:s memory:s fetch_rows:row_fetch store_rows:row_store; field_info
struct_size:z name:s spec:spec dimensions:i extents:l[8] offset:u bytes:u record:u metadata:u has_checksum:i checksum:checksum
has_plaquette:i has_link_trace:i plaquette:d link_trace:d; field_verdict struct_size:z name:s index:u checksum_status:i has_stored:i
computed:checksum stored:checksum zero_sites:u damaged_slices:L damaged_count:u has_physics:i plaquette:d spatial_plaquette:d
temporal_plaquette:d link_trace:d unitarity:d not_finite:u; file_array begin:u element_bytes:u axes:i extents:L; file_info
struct_size:z format:s bytes:u is_complete:i records:u fields:u findings:u metadata:u errors:u; finding struct_size:z severity:i
code:i rule:s message:s record:s offset:l bytes:l; grid_options struct_size:z processes:L rank_order:I axes:I idle_ranks:i
holds_sites:i ranks:I coordinates:L; hdf5_array type:i dimensions:i extents:u[32] data:p axes:*hdf5_axis; hdf5_axis name:s
coordinates:D; hdf5_facts struct_size:z kind:i dimensions:i extents:u[32] is_chunked:i chunk:u[32] bytes:u unused_bytes:u has_time:i
microseconds:l attributes:u path:s type:s storage:s filters:s checksum:s layout:s object:s; metadata name:s text:s; mode
eigenvalue_re:d eigenvalue_im:d residual:d; modes_description struct_size:z dimensions:i lattice:l[8] kind:i colors:i spins:i
is_complex:i numbers:u storage:i parity:i ls:l operator_name:s parameters:*modes_parameter parameter_count:z room:u basis:u block:l[8]
tolerance:d; modes_parameter name:s type:i integer:l re:d im:d text:s; multifile_facts struct_size:z tasks:l bytes:u stored_bytes:u
chunks:u files:u fields:u has_records:i has_checksums:i compression:i findings:u; node_cache_counts struct_size:z reads:u bytes_read:u
bytes_given:u waits:u reads_beside:u memory_bytes:u; operations struct_size:z rank:i size:i node:u tags:i send:(i,p,p,u,i,i,U)
receive:(i,p,p,u,i,i,U) test:(i,p,u,I) drop:(v,p,u) failure:(p,p) free:(v,p) context:p; places table:U entries:u; read_callbacks
struct_size:z bytes:u name:s modified:l request_bytes:u concurrent:i read_at:(l,p,u,p,u) failure:(p,p) free:(v,p) context:p;
record_info struct_size:z type:s file:i header_offset:u offset:u bytes:u; report struct_size:z spec:spec dimensions:i extents:l[8]
ranks:i is_written:i strategy:i is_read_back:i bytes:u checksum_status:i has_stored:i checksum:checksum stored:checksum zero_sites:u
seconds:d pack_seconds:d exchange_seconds:d storage_seconds:d sync_seconds:d format:c[16] file_system:c[32] block_bytes:u
single_owner:i stripe_reason:i stripe_count:u stripe_bytes:u ranks_at_file:u open_seconds:d device_computing_ranks:u
device_copying_ranks:u device_reason:c[256] call_bytes:u; spec kind:i precision:i colors:i spins:i links:i is_complex:i numbers:u;
stall struct_size:z call:s path:s offset:u bytes:u seconds:d sentence:s; verdict struct_size:z is_sound:i format:s fields:u findings:u
errors:u chunks_checked:u fields_checked:u verdict:i claims:u"""
