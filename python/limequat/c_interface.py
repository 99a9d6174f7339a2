# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The functions and types of limequat.h, which structs.py reads; made by tools/make_bindings.py.

A function: name result arguments. A struct: name member:type ... A type of function: name result arguments. Types: v void, i int,
l int64_t, u uint64_t, w uint32_t, z size_t, d double, c char, s text, p a pointer, h a handle; I, L, U, D, S pointers to these; T a pointer to a pointer
that is filled; NAME of a struct or a type of function, *NAME a pointer to a struct, (TYPES) a function, TYPE[N] an array.
"""

FUNCTIONS = """\
assess i p T; build_parts i T; callback_file_create i *read_callbacks T; callback_file_free v h; callback_file_path s h; catalog_field
i h u *field_info; catalog_field_metadata i h u u *metadata; catalog_file i h *file_info; catalog_finding i h u *finding; catalog_free
v h; catalog_metadata i h u *metadata; catalog_open i s p T; catalog_record i h u *record_info; catalogue_options_init i p z;
catalogue_options_set i p s s; charge_density i h field D; check_interrupts v interrupt_check p; checkpoint_free v h; checkpoint_info
i h T; checkpoint_list_options_init i p z; checkpoint_list_options_set i p s s; checkpoint_read_field i h s h field p;
checkpoint_read_state i h s p u; checkpoint_state i h s T U; checkpoint_step u h; checkpoint_streams i h p T; checkpoints_add_field i
h s h field p; checkpoints_add_state i h s p u; checkpoints_add_stream i h p u; checkpoints_forget_added i h; checkpoints_forget_marks
i h; checkpoints_free v h; checkpoints_list i s p T; checkpoints_load_newest i h T; checkpoints_open i s p T; checkpoints_options_init
i p z; checkpoints_options_set i p s s; checkpoints_prune i h T; checkpoints_reject i h h s; checkpoints_save i h u T;
checkpoints_save_async i h u; checkpoints_test i h I; checkpoints_wait i h T; communicator_agree i h *failure; communicator_create i
*operations T; communicator_free v h; communicator_rank i h; communicator_size i h; convert i s s p T; convert_options_init i p z;
convert_options_set i p s s; copy i S u s p T; copy_options_init i p z; copy_options_set i p s s; count_not_finite i h field U;
defragment i s s p T; diagnose i s p I T; diagnose_options_init i p z; diagnose_options_set i p s s; diff i s s p I T;
diff_options_init i p z; diff_options_set i p s s; error_code i; error_errno i; error_expected s; error_found s; error_json s;
error_offset l; error_path s; error_rank i; error_record s; error_text s; explain i s p T; export_virtual i s s p; extract i s s u s p
T; file_catalog i h T; file_free v h; file_open i s p T; file_read i h h field p; file_read_async i h h field p T; file_read_record i
h s u sink p; file_system_of i s T; find i s p T; formats i T; gauge_f32 field p; gauge_f64 field p; generate i h field p;
generate_options_init i p z; generate_options_set i p s s; grid_agree i h *failure; grid_create i L i h p T; grid_dimensions i h;
grid_extents i h L; grid_free v h; grid_local_box i h L L; grid_local_volume u h; grid_options_init i p z; grid_processes i h L;
grid_rank i h; grid_self i L i T; grid_size i h; grid_volume u h; hdf5_attribute i h s s T; hdf5_attributes i h s hdf5_visit_attribute
p; hdf5_catalog i h T; hdf5_cd i h s; hdf5_close i h; hdf5_copy i h s s; hdf5_exists i h s I; hdf5_flush i h; hdf5_free v h; hdf5_ls i
h s hdf5_visit p; hdf5_mkdir i h s; hdf5_open i s i p T; hdf5_options_init i p z; hdf5_options_set i p s s; hdf5_pop i h; hdf5_push i
h s; hdf5_pwd s h; hdf5_read i h s T; hdf5_read_field i h s h field p; hdf5_remove i h s; hdf5_remove_attribute i h s s; hdf5_rename i
h s s; hdf5_set_attribute i h s s *hdf5_array; hdf5_stat i h s *hdf5_facts; hdf5_value_array *hdf5_array h; hdf5_value_free v h;
hdf5_value_status i h; hdf5_write i h s *hdf5_array i; hdf5_write_field i h s h field p; ildg_check i s s p I T; ildg_document i s p
T; ildg_lfn i s p T; index i S u p T; inspect i s p T; is_device_memory i p; link_trace i h field D; measure i h field T;
memory_arrays i s i I I; memory_check i s; modes_append i s h p T; modes_convert i s s i u u i h; modes_convert_coherent i s s i u L d
i h; modes_convert_reported i s s s l i L i u u u L d p h T; modes_convert_vectors i s s s l i L i u u i h; modes_convert_with i s s s
l i L i u u u L d p h; modes_create i s h *modes_description p T; modes_description_init i *modes_description z; modes_error i h u D;
modes_family s h; modes_free v h; modes_known i h *modes_description; modes_mode i h u *mode; modes_open i s p T; modes_open_vectors i
s l i L p T; modes_read i h u h field p; modes_read_async i h u h field p T; modes_size u h; modes_write i s h *modes_description
*field *mode z p; modes_write_reported i s h *modes_description *field *mode z p T; modes_writer_append i h field *mode T;
modes_writer_close i h; modes_writer_free v h; modes_writer_size u h; multifile_append i s p T; multifile_close i h; multifile_create
i s p T; multifile_discard i h; multifile_fields i h T; multifile_flush i h i; multifile_info i h T; multifile_known i h
*multifile_facts; multifile_open i s p T; multifile_options_init i p z; multifile_options_set i p s s; multifile_read i h l u p u U;
multifile_read_field i h s h field p; multifile_read_options_init i p z; multifile_read_options_set i p s s; multifile_reader_free v
h; multifile_repair i s s p T; multifile_repair_options_init i p z; multifile_repair_options_set i p s s; multifile_share i h L L U U;
multifile_size i h l U; multifile_stream i h i L U; multifile_tasks l h; multifile_verify i s I T; multifile_write i h i p u;
multifile_write_field i h s h field p; multifile_write_text i h i s; multifile_writer_free v h; node_cache_count i h
*node_cache_counts; node_cache_free v h; node_cache_open i s h u u T; node_cache_read i h u p u U; node_cache_size u h; observables i
h field p T; observables_options_init i p z; observables_options_set i p s s; options_json i T; pack i s S u p T; partition_element i
*file_array s u u U; partition_of i s *file_array s u T; partition_place i *file_array s u U U; pending_cancel i h; pending_free v h;
pending_test i h I; pending_wait i h T; plan i L L i field p T; plan_options_init i p z; plan_options_set i p s s; plaquette i h field
D; plaquette_density i h field D; propagator_f32 field p; propagator_f64 field p; protect i S u p T; protect_options_init i p z;
protect_options_set i p s s; qcdml_options_init i p z; qcdml_options_set i p s s; read i s h field p; read_async i s h field p T;
read_options_init i p z; read_options_set i p s s; read_record i s s u sink p; read_site i s L i p D u U; region_writer_close i h T;
region_writer_create i s h field p T; region_writer_free v h; region_writer_missing i h U; region_writer_write i h L L field;
repack_options_init i p z; repack_options_set i p s s; repair i s s p T; repartition i s s p T; repartition_options_init i p z;
repartition_options_set i p s s; report_page i S u s p T; require_replaceable i s s; scan_options_init i p z; scan_options_set i p s
s; scrub i p I T; set_unpacker i *unpacker; sites_f32 field p u i; sites_f64 field p u i; spinor_f32 field p; spinor_f64 field p;
squeeze i s s p T; squeeze_options_init i p z; squeeze_options_set i p s s; status_name s i; stop v; text_free v p; unitarity i h
field D; unpack i s s p T; unsqueeze i s s p T; validate i s p T; verification_claim i h u *claim; verification_field i h u
*field_verdict; verification_finding i h u *finding; verification_free v h; verification_run i s p T; verification_verdict i h
*verdict; verify i s p I T; verify_below i S u p I T; verify_options_init i p z; verify_options_set i p s s; version s; view_close i
h; view_free v h; view_open i s s u *file_array i T; view_read i h p u U; view_read_all i h p u h u; view_seek i h u; view_size i h U;
view_sync i h; view_tell i h U; view_write i h p u; view_write_all i h p u h u; watch_stalls i d stall_tell p; write i s h field p;
write_async i s h field p T; write_options_init i p z; write_options_set i p s s; writer_close i h; writer_create i s h p T;
writer_free v h; writer_record i h s p z; writer_write i h s field *metadata z T"""

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
stall struct_size:z call:s path:s offset:u bytes:u seconds:d sentence:s; unpacker struct_size:z open:(i,p,p,S) close:(v,p,p)
context:p; verdict struct_size:z is_sound:i format:s fields:u findings:u errors:u chunks_checked:u fields_checked:u verdict:i claims:u"""
