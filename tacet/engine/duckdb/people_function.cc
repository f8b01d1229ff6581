// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/people_function.h"

#include <algorithm>

#include "tacet/engine/duckdb/result_reader.h"

namespace tacet::duckdb {
namespace {

// The engine calls back without context; the functions were loaded before it could. The one
// argument comes as a flat vector, without NULL: a person's number is never missing.
void Evaluate(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const Api& api = **LoadApi();
  const auto& words =
      static_cast<const PeopleBits*>(api.scalar_function_get_extra_info(info))->words;
  const idx_t rows = api.data_chunk_get_size(input);
  const auto* people =
      static_cast<const int32_t*>(api.vector_get_data(api.data_chunk_get_vector(input, 0)));
  auto* pays = static_cast<bool*>(api.vector_get_data(output));
  // Without a branch: rows are many, and there is a word of zeros at the end for all who come
  // later.
  const uint64_t* const bits = words.data();
  const auto last = static_cast<uint32_t>(words.size() - 1);
  for (idx_t row = 0; row < rows; ++row) {
    const auto person = static_cast<uint32_t>(people[row]);
    pays[row] = (bits[std::min(person / 64, last)] >> person % 64 & 1) == 0;
  }
}

}  // namespace

void PeopleBits::Set(const PersonSet& people) {
  const std::vector<uint32_t> numbers = people.ToVector();
  words.assign(numbers.empty() ? 1 : numbers.back() / 64 + size_t{2}, 0);
  for (const uint32_t person : numbers) words[person / 64] |= uint64_t{1} << person % 64;
}

Status RegisterNotIn(const Api& api, duckdb_connection connection, const char* name,
                     const PeopleBits* excluded) {
  duckdb_scalar_function made = api.create_scalar_function();
  api.scalar_function_set_name(made, name);
  duckdb_logical_type person = api.create_logical_type(DUCKDB_TYPE_INTEGER);
  api.scalar_function_add_parameter(made, person);
  api.destroy_logical_type(&person);
  duckdb_logical_type truth = api.create_logical_type(DUCKDB_TYPE_BOOLEAN);
  api.scalar_function_set_return_type(made, truth);
  api.destroy_logical_type(&truth);
  api.scalar_function_set_function(made, Evaluate);
  api.scalar_function_set_extra_info(made, const_cast<PeopleBits*>(excluded), [](void*) {});
  const bool registered = api.register_scalar_function(connection, made) == DuckDBSuccess;
  api.destroy_scalar_function(&made);
  return registered ? Status() : Status(EngineError("register_scalar_function"));
}

}  // namespace tacet::duckdb
