// SPDX-License-Identifier: Apache-2.0
#include "tacet/engine/duckdb/result_reader.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace tacet::duckdb {
namespace {

// One column of one chunk.
class Vector {
 public:
  Vector(const Api& api, duckdb_data_chunk chunk, idx_t column)
      : api_(api), vector_(api.data_chunk_get_vector(chunk, column)) {
    data_ = api.vector_get_data(vector_);
    valid_ = api.vector_get_validity(vector_);
  }

  bool IsNull(idx_t row) const {
    return valid_ != nullptr && !api_.validity_row_is_valid(valid_, row);
  }
  template <typename T>
  T* values() const {
    return static_cast<T*>(data_);
  }
  std::string Text(idx_t row) const {
    duckdb_string_t& text = values<duckdb_string_t>()[row];
    return {api_.string_t_data(&text), api_.string_t_length(text)};
  }

 private:
  const Api& api_;
  duckdb_vector vector_;
  void* data_;
  uint64_t* valid_;
};

// Calls `visit(chunk, rows)` until it fails or the result ends.
template <typename Visit>
Status ForEachChunk(const Api& api, duckdb_result& result, const Visit& visit) {
  while (duckdb_data_chunk chunk = api.fetch_chunk(result)) {
    const Status status = visit(chunk, api.data_chunk_get_size(chunk));
    api.destroy_data_chunk(&chunk);
    if (!status.ok()) return status;
  }
  // A result that ends early because of an error must not pass for a short one.
  const char* said = api.result_error(&result);
  return said == nullptr ? Status() : Status(EngineError(said));
}

Cell Huge(const duckdb_hugeint& value) {
  return static_cast<Int128>(UInt128{static_cast<uint64_t>(value.upper)} << 64 | value.lower);
}

Result<Cell> ReadCell(const Vector& vector, duckdb_type type, idx_t row) {
  if (vector.IsNull(row)) return Cell();
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return Cell(vector.values<bool>()[row]);
    case DUCKDB_TYPE_TINYINT:
      return Cell(int64_t{vector.values<int8_t>()[row]});
    case DUCKDB_TYPE_SMALLINT:
      return Cell(int64_t{vector.values<int16_t>()[row]});
    case DUCKDB_TYPE_INTEGER:
      return Cell(int64_t{vector.values<int32_t>()[row]});
    case DUCKDB_TYPE_BIGINT:
      return Cell(vector.values<int64_t>()[row]);
    case DUCKDB_TYPE_UTINYINT:
      return Cell(int64_t{vector.values<uint8_t>()[row]});
    case DUCKDB_TYPE_USMALLINT:
      return Cell(int64_t{vector.values<uint16_t>()[row]});
    case DUCKDB_TYPE_UINTEGER:
      return Cell(int64_t{vector.values<uint32_t>()[row]});
    case DUCKDB_TYPE_UBIGINT:
      if (!std::in_range<int64_t>(vector.values<uint64_t>()[row])) {
        return EngineError("a UBIGINT does not fit into 64 bits with a sign");
      }
      return Cell(static_cast<int64_t>(vector.values<uint64_t>()[row]));
    case DUCKDB_TYPE_HUGEINT:
      return Huge(vector.values<duckdb_hugeint>()[row]);
    case DUCKDB_TYPE_DOUBLE:
      return Cell(vector.values<double>()[row]);
    case DUCKDB_TYPE_VARCHAR:
      return Cell(vector.Text(row));
    default:
      return EngineError("a column is of a type that is not read");
  }
}

// A column that is NULL throughout would hide that its type is not read.
bool IsReadable(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_VARCHAR:
      return true;
    default:
      return false;
  }
}

std::vector<duckdb_type> ColumnTypes(const Api& api, duckdb_result& result) {
  std::vector<duckdb_type> types(api.column_count(&result));
  for (idx_t column = 0; column < types.size(); ++column) {
    types[column] = api.column_type(&result, column);
  }
  return types;
}

}  // namespace

Error EngineError(const char* said) {
  return {.code = Code::kEngine,
          .message = "the query engine failed",
          .detail = said == nullptr ? "" : said};
}

Result<Rows> ReadCells(const Api& api, duckdb_result& result) {
  const std::vector<duckdb_type> types = ColumnTypes(api, result);
  if (!std::all_of(types.begin(), types.end(), IsReadable)) {
    return EngineError("a column is of a type that is not read");
  }
  Rows rows;
  TACET_RETURN_IF_ERROR(ForEachChunk(api, result, [&](duckdb_data_chunk chunk, idx_t count) {
    const size_t first = rows.size();
    rows.resize(first + count, std::vector<Cell>(types.size()));
    for (idx_t column = 0; column < types.size(); ++column) {
      const Vector vector(api, chunk, column);
      for (idx_t row = 0; row < count; ++row) {
        Result<Cell> cell = ReadCell(vector, types[column], row);
        if (!cell.ok()) return Status(cell.error());
        rows[first + row][column] = *std::move(cell);
      }
    }
    return Status();
  }));
  return rows;
}

Result<std::vector<std::vector<std::optional<int64_t>>>> ReadIntegers(const Api& api,
                                                                      duckdb_result& result) {
  const std::vector<duckdb_type> types = ColumnTypes(api, result);
  for (const duckdb_type type : types) {
    if (type != DUCKDB_TYPE_BIGINT) return EngineError("a column is not BIGINT");
  }
  std::vector<std::vector<std::optional<int64_t>>> rows;
  TACET_RETURN_IF_ERROR(ForEachChunk(api, result, [&](duckdb_data_chunk chunk, idx_t count) {
    const size_t first = rows.size();
    rows.resize(first + count, std::vector<std::optional<int64_t>>(types.size()));
    for (idx_t column = 0; column < types.size(); ++column) {
      const Vector vector(api, chunk, column);
      for (idx_t row = 0; row < count; ++row) {
        if (!vector.IsNull(row)) rows[first + row][column] = vector.values<int64_t>()[row];
      }
    }
    return Status();
  }));
  return rows;
}

Status ReadPersons(const Api& api, duckdb_result& result, PersonSet& into) {
  if (ColumnTypes(api, result) != std::vector<duckdb_type>{DUCKDB_TYPE_INTEGER}) {
    return EngineError("people are one INTEGER column");
  }
  return ForEachChunk(api, result, [&](duckdb_data_chunk chunk, idx_t count) {
    const Vector vector(api, chunk, 0);
    for (idx_t row = 0; row < count; ++row) {
      if (vector.IsNull(row) || vector.values<int32_t>()[row] < 0) {
        return Status(EngineError("a person's number is NULL or negative"));
      }
    }
    into.AddAll(std::span<const uint32_t>(vector.values<uint32_t>(), count));
    return Status();
  });
}

}  // namespace tacet::duckdb
