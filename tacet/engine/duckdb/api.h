// SPDX-License-Identifier: Apache-2.0
// The functions of DuckDB's C API that we use, loaded when first needed.
//
// libduckdb is large, and loading it costs milliseconds that the calculators need not pay; so it is
// not linked but opened on first use. Only what is listed here can be called at all.
#pragma once

#include <duckdb.h>

#include "tacet/base/result.h"

#define TACET_DUCKDB_FUNCTIONS(F)    \
  F(library_version)                 \
  F(create_config)                   \
  F(set_config)                      \
  F(destroy_config)                  \
  F(open_ext)                        \
  F(close)                           \
  F(connect)                         \
  F(disconnect)                      \
  F(query)                           \
  F(interrupt)                       \
  F(result_error)                    \
  F(result_error_type)               \
  F(destroy_result)                  \
  F(fetch_chunk)                     \
  F(destroy_data_chunk)              \
  F(data_chunk_get_size)             \
  F(data_chunk_get_vector)           \
  F(vector_get_data)                 \
  F(vector_get_validity)             \
  F(validity_row_is_valid)           \
  F(string_t_length)                 \
  F(string_t_data)                   \
  F(vector_ensure_validity_writable) \
  F(validity_set_row_invalid)        \
  F(create_logical_type)             \
  F(destroy_logical_type)            \
  F(create_scalar_function)          \
  F(destroy_scalar_function)         \
  F(scalar_function_set_name)        \
  F(scalar_function_add_parameter)   \
  F(scalar_function_set_return_type) \
  F(scalar_function_set_function)    \
  F(scalar_function_set_extra_info)  \
  F(scalar_function_get_extra_info)  \
  F(register_scalar_function)        \
  F(column_count)                    \
  F(column_type)                     \
  F(free)

namespace tacet::duckdb {

struct Api {
#define TACET_DUCKDB_MEMBER(name) decltype(&::duckdb_##name) name;
  TACET_DUCKDB_FUNCTIONS(TACET_DUCKDB_MEMBER)
#undef TACET_DUCKDB_MEMBER
};

// Loads the library once; later calls are free. Fails if it is missing or lacks a function. Safe
// from any thread.
Result<const Api*> LoadApi();

}  // namespace tacet::duckdb
