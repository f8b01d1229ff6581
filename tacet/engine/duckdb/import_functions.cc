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

// The texts of a function's first argument. The engine hands over flat vectors.
class Texts {
 public:
  Texts(const Api& api, duckdb_data_chunk input)
      : api_(api),
        size_(api.data_chunk_get_size(input)),
        texts_(static_cast<duckdb_string_t*>(
            api.vector_get_data(api.data_chunk_get_vector(input, 0)))),
        valid_(api.vector_get_validity(api.data_chunk_get_vector(input, 0))) {}

  idx_t size() const { return size_; }
  std::optional<std::string_view> At(idx_t row) const {
    if (valid_ != nullptr && !api_.validity_row_is_valid(valid_, row)) return std::nullopt;
    return std::string_view(api_.string_t_data(&texts_[row]), api_.string_t_length(texts_[row]));
  }

 private:
  const Api& api_;
  idx_t size_;
  duckdb_string_t* texts_;
  uint64_t* valid_;
};

// Fills `output` with what `value_of` makes of each row, or NULL.
template <typename Value, typename ValueOf>
void Fill(const Api& api, idx_t size, duckdb_vector output, const ValueOf& value_of) {
  auto* values = static_cast<Value*>(api.vector_get_data(output));
  api.vector_ensure_validity_writable(output);
  uint64_t* valid = api.vector_get_validity(output);
  for (idx_t row = 0; row < size; ++row) {
    const std::optional<Value> value = value_of(row);
    values[row] = value.value_or(Value{});
    if (!value) api.validity_set_row_invalid(valid, row);
  }
}

// Both functions of numbers; the one of integers has no second argument.
void Evaluate(duckdb_data_chunk input, duckdb_vector output, bool has_scale) {
  const Api& api = Loaded();
  const Texts texts(api, input);
  const int32_t* scales = nullptr;
  if (has_scale) {
    scales = static_cast<int32_t*>(api.vector_get_data(api.data_chunk_get_vector(input, 1)));
  }
  Fill<duckdb_hugeint>(api, texts.size(), output, [&](idx_t row) -> std::optional<duckdb_hugeint> {
    const std::optional<std::string_view> text = texts.At(row);
    if (!text) return std::nullopt;
    const std::optional<Int128> value = Parse(*text, scales == nullptr ? nullptr : scales + row);
    if (!value) return std::nullopt;
    return ToHuge(*value);
  });
}

void EvaluateInteger(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  Evaluate(input, output, false);
}

void EvaluateDecimal(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  Evaluate(input, output, true);
}

void EvaluateLookup(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const Api& api = Loaded();
  const auto& lookup = *static_cast<const Lookup*>(api.scalar_function_get_extra_info(info));
  const Texts texts(api, input);
  Fill<int32_t>(api, texts.size(), output, [&](idx_t row) -> std::optional<int32_t> {
    const std::optional<std::string_view> text = texts.At(row);
    return text ? lookup(*text) : std::nullopt;
  });
}

struct Declaration {
  const char* name;
  std::vector<duckdb_type> parameters;
  duckdb_type result;
  duckdb_scalar_function_t function;
  Lookup* owned = nullptr;  // the engine's from here on
};

Status Register(const Api& api, duckdb_connection connection, const Declaration& declaration) {
  duckdb_scalar_function made = api.create_scalar_function();
  api.scalar_function_set_name(made, declaration.name);
  for (const duckdb_type parameter : declaration.parameters) {
    duckdb_logical_type type = api.create_logical_type(parameter);
    api.scalar_function_add_parameter(made, type);
    api.destroy_logical_type(&type);
  }
  duckdb_logical_type result = api.create_logical_type(declaration.result);
  api.scalar_function_set_return_type(made, result);
  api.destroy_logical_type(&result);
  api.scalar_function_set_function(made, declaration.function);
  if (declaration.owned != nullptr) {
    api.scalar_function_set_extra_info(made, declaration.owned,
                                       [](void* owned) { delete static_cast<Lookup*>(owned); });
  }
  const bool registered = api.register_scalar_function(connection, made) == DuckDBSuccess;
  api.destroy_scalar_function(&made);
  return registered ? Status() : Status(EngineError("register_scalar_function"));
}

}  // namespace

Status RegisterImportFunctions(const Api& api, duckdb_connection connection) {
  TACET_RETURN_IF_ERROR(Register(api, connection,
                                 {.name = "tacet_integer",
                                  .parameters = {DUCKDB_TYPE_VARCHAR},
                                  .result = DUCKDB_TYPE_HUGEINT,
                                  .function = EvaluateInteger}));
  return Register(api, connection,
                  {.name = "tacet_decimal",
                   .parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_INTEGER},
                   .result = DUCKDB_TYPE_HUGEINT,
                   .function = EvaluateDecimal});
}

Status RegisterLookup(const Api& api, duckdb_connection connection, const char* name,
                      Lookup lookup) {
  return Register(api, connection,
                  {.name = name,
                   .parameters = {DUCKDB_TYPE_VARCHAR},
                   .result = DUCKDB_TYPE_INTEGER,
                   .function = EvaluateLookup,
                   .owned = new Lookup(std::move(lookup))});
}

}  // namespace tacet::duckdb
