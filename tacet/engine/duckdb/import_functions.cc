// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/import_functions.h"

#include <optional>
#include <string_view>
#include <vector>

#include "tacet/base/decimal_text.h"
#include "tacet/engine/duckdb/result_reader.h"

namespace tacet::duckdb {
namespace {

// The engine calls back without context; the functions were loaded before it could.
const Api& Loaded() { return **LoadApi(); }

duckdb_hugeint ToHuge(Int128 value) {
  return {.lower = static_cast<uint64_t>(value), .upper = static_cast<int64_t>(value >> 64)};
}

std::optional<Int128> Parse(std::string_view text, const int32_t* scale) {
  return scale == nullptr ? ParseInteger(text) : ParseDecimal(text, *scale);
}

// Both functions; the one of integers has no second argument. The engine hands over flat vectors.
void Evaluate(duckdb_data_chunk input, duckdb_vector output, bool has_scale) {
  const Api& api = Loaded();
  const idx_t count = api.data_chunk_get_size(input);
  duckdb_vector text_vector = api.data_chunk_get_vector(input, 0);
  auto* texts = static_cast<duckdb_string_t*>(api.vector_get_data(text_vector));
  uint64_t* text_valid = api.vector_get_validity(text_vector);
  const int32_t* scales = nullptr;
  if (has_scale) {
    scales = static_cast<int32_t*>(api.vector_get_data(api.data_chunk_get_vector(input, 1)));
  }
  auto* values = static_cast<duckdb_hugeint*>(api.vector_get_data(output));
  api.vector_ensure_validity_writable(output);
  uint64_t* valid = api.vector_get_validity(output);
  for (idx_t row = 0; row < count; ++row) {
    std::optional<Int128> value;
    if (text_valid == nullptr || api.validity_row_is_valid(text_valid, row)) {
      const std::string_view text(api.string_t_data(&texts[row]), api.string_t_length(texts[row]));
      value = Parse(text, scales == nullptr ? nullptr : scales + row);
    }
    values[row] = ToHuge(value.value_or(0));
    if (!value) api.validity_set_row_invalid(valid, row);
  }
}

void EvaluateInteger(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  Evaluate(input, output, false);
}

void EvaluateDecimal(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  Evaluate(input, output, true);
}

Status Register(const Api& api, duckdb_connection connection, const char* name,
                const std::vector<duckdb_type>& parameters, duckdb_scalar_function_t function) {
  duckdb_scalar_function made = api.create_scalar_function();
  api.scalar_function_set_name(made, name);
  for (const duckdb_type parameter : parameters) {
    duckdb_logical_type type = api.create_logical_type(parameter);
    api.scalar_function_add_parameter(made, type);
    api.destroy_logical_type(&type);
  }
  duckdb_logical_type huge = api.create_logical_type(DUCKDB_TYPE_HUGEINT);
  api.scalar_function_set_return_type(made, huge);
  api.destroy_logical_type(&huge);
  api.scalar_function_set_function(made, function);
  const bool registered = api.register_scalar_function(connection, made) == DuckDBSuccess;
  api.destroy_scalar_function(&made);
  return registered ? Status() : Status(EngineError("register_scalar_function"));
}

}  // namespace

Status RegisterImportFunctions(const Api& api, duckdb_connection connection) {
  TACET_RETURN_IF_ERROR(
      Register(api, connection, "tacet_integer", {DUCKDB_TYPE_VARCHAR}, EvaluateInteger));
  return Register(api, connection, "tacet_decimal", {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_INTEGER},
                  EvaluateDecimal);
}

}  // namespace tacet::duckdb
