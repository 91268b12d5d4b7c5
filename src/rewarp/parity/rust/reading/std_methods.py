"""Methods of the standard library that a bare name may mean."""

from __future__ import annotations

OF_ALL_TYPES = frozenset(
    """
    clone map len iter into_iter collect unwrap expect into from as_ref as_mut get get_mut push insert extend
    to_string to_vec to_owned is_empty is_some is_none is_ok is_err ok err and_then or_else map_err unwrap_or
    unwrap_or_else unwrap_or_default ok_or ok_or_else filter fold sum product zip enumerate rev take skip chain
    cloned copied any all position min max abs lock read write borrow borrow_mut drop default eq ne cmp
    partial_cmp hash fmt next as_slice as_mut_slice as_ptr as_mut_ptr as_str as_bytes iter_mut contains
    starts_with ends_with split join trim replace find parse swap sort sort_by remove pop clear resize concat
    first last entry or_insert_with saturating_sub checked_add wrapping_add add sub mul div pow powi powf sqrt
    exp ceil floor round new get_or_init load store fetch_add fetch_sub fetch_or fetch_and fetch_max fetch_min
    compare_exchange compare_exchange_weak send recv try_recv spawn wait notify_one notify_all try_lock try_read
    try_write flush seek read_exact read_to_end read_to_string write_all metadata open create exists is_file
    is_dir to_path_buf display to_str file_name keys values values_mut get_or_insert_with or_insert and_modify
    or_default retain drain append reserve capacity truncate split_at split_at_mut chunks chunks_exact
    chunks_mut windows step_by flat_map filter_map for_each try_for_each par_iter into_par_iter copy_from_slice
    clone_from_slice fill peekable peek last_mut first_mut count unzip is_finite is_nan to_bits from_bits to_f32
    to_f64 from_f32 from_f64 leading_zeros trailing_zeros count_ones checked_mul checked_sub checked_div
    saturating_add saturating_mul wrapping_mul wrapping_sub rem_euclid clamp signum to_uppercase to_lowercase
    trim_end trim_start strip_prefix strip_suffix split_whitespace lines chars bytes rsplit rfind
    is_char_boundary elapsed as_secs_f64 as_millis duration_since id raw downcast downcast_ref upgrade downgrade
    strong_count get_unchecked get_unchecked_mut cast offset add_assign sub_assign not neg index index_mut deref
    deref_mut source description cause build arg args try_from try_into from_str as_any type_id to_le_bytes
    from_le_bytes is_multiple_of div_ceil
    """.split()
)
"""Methods that every second type has: of an unknown receiver they say nothing."""
