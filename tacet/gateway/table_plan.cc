// SPDX-License-Identifier: Apache-2.0
#include "tacet/gateway/table_plan.h"

#include <algorithm>
#include <utility>

#include "tacet/base/fault.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/vault_names.h"
#include "tacet/gateway/column_sql.h"
#include "tacet/gateway/sql_text.h"
#include "tacet/gateway/vault_layout.h"

namespace tacet {
namespace {

std::string Link(size_t index) { return "f" + std::to_string(index + 1); }

// A number as the owner wrote it, or nearly.
std::string Bound(const Type& type, const Rational& value) {
  if (!type.is_moment()) return value.ToString();
  return type.kind == TypeKind::kDate ? "day " + value.ToString() : value.ToString();
}

std::string OutsideText(const Column& column) {
  if (column.reference) return "not in the column that it refers to";
  if (column.domain() != DomainKind::kRange) return "not among the declared values";
  if (column.type.is_moment()) return "outside the declared range";
  return "outside the range from " + Bound(column.type, column.range->lo) + " to " +
         Bound(column.type, column.range->hi);
}

// A SELECT of what stands in the column of a public table, as a column of the same type without a
// range would store it.
std::string ReferencedValues(const Catalog& catalog, const ColumnReference& reference) {
  const Column& column = catalog.Resolve(reference);
  const Table& table = catalog.tables[reference.table];
  const std::string id = VaultColumnName(table, column);
  std::string value = id;
  if (!column.texts.empty()) {
    std::string list;
    for (const std::string& text : column.texts) {
      list += (list.empty() ? "" : ", ") + QuoteText(text);
    }
    value = "([" + list + "])[" + id + " + 1]";
  } else if (column.range && column.type.is_number()) {
    const Rational& grid = column.range->grid;
    value = "CAST(" + id + " AS DOUBLE) * '" + grid.numerator().get_str() + "'::DOUBLE / '" +
            grid.denominator().get_str() + "'::DOUBLE";
  }
  return "SELECT " + value + " FROM " + VaultTableName(catalog, table) + " WHERE " + id +
         " IS NOT NULL";
}

class TablePlanner {
 public:
  TablePlanner(const PlanContext& context, size_t table, Relation relation)
      : context_(context), table_(context.catalog.tables[table]) {
    plan_.table = table;
    plan_.relation = std::move(relation);
    plan_.drops_null_person = table_.drops_null_person;
  }

  Result<TablePlan> Plan() {
    TACET_RETURN_IF_ERROR(PlanPerson());
    TACET_RETURN_IF_ERROR(PlanLinks());
    plan_.key_inner = plan_.inner;
    plan_.key_outer = plan_.outer;
    for (size_t i = 0; i < table_.columns.size(); ++i) TACET_RETURN_IF_ERROR(PlanOne(i));
    if (plan_.output.empty()) Output("NULL AS nothing");
    return std::move(plan_);
  }

 private:
  static void Append(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
  }
  void Inner(const std::string& item) { Append(plan_.inner, item); }
  void Outer(const std::string& item) { Append(plan_.outer, item); }
  void Output(const std::string& item) { Append(plan_.output, item); }

  std::string Subject(const std::string& column) const {
    return Shown(table_.name) + "." + Shown(column);
  }

  Status Locate(const Error& error) const {
    Error located = error;
    located.message = "table " + Shown(table_.name) + ": " + error.message;
    return located;
  }

  Result<const RelationColumn*> Find(const std::string& name) const {
    Result<const RelationColumn*> found = FindRelationColumn(plan_.relation, name);
    if (!found.ok()) return Locate(found.error()).error();
    return found;
  }

  Status PlanPerson() {
    if (const auto* column = std::get_if<PersonColumn>(&table_.person))
      return PlanKeyColumn(*column);
    if (const auto* through = std::get_if<PersonThrough>(&table_.person))
      return PlanThrough(*through);
    return {};
  }

  void AddKey() {
    plan_.has_key = true;
    Output("key");
    Append(plan_.keys, "key");
  }

  Status PlanKeyColumn(const PersonColumn& person) {
    TACET_TRY(const RelationColumn* source, Find(person.source));
    const Result<std::string> key = PlanKey(context_.catalog.person_key, *source);
    if (!key.ok()) return Locate(key.error());
    Inner(source->sql + " AS rk");
    Inner(*key + " AS key");
    Outer("rk");
    Outer("key");
    AddKey();
    AddRule("(rk IS NOT NULL AND key IS NULL)", Subject(person.name), "key",
            "that cannot be read as a person of type integer", "rk");
    AddNullPerson("rk IS NULL", Subject(person.name), "without a person");
    return {};
  }

  Status PlanThrough(const PersonThrough& through) {
    TACET_TRY(const RelationColumn* source, Find(through.source));
    const Table& other = context_.catalog.tables[through.table];
    const std::vector<std::string> links = LinksInto(context_.catalog, through.table);
    const auto link = std::find(links.begin(), links.end(), through.key) - links.begin();
    const std::string f = Link(static_cast<size_t>(link));
    plan_.join = " LEFT JOIN (SELECT " + f + " AS f, any_value(key) AS key, count(*) AS n FROM (" +
                 context_.keys_of(through.table) + ") WHERE " + f + " IS NOT NULL GROUP BY " + f +
                 ") AS m ON m.f = x.rk";
    Inner(LinkText(*source) + " AS rk");
    Outer("rk");
    Outer("m.key AS key");
    Outer("coalesce(m.n, 0) AS found");
    AddKey();
    const std::string once = TACET_FAULT(foreign_keys_not_verified) ? "false" : "found <> 1";
    AddRule("(rk IS NOT NULL AND " + once + ")", Subject(through.source), "value",
            "that " + Quoted(through.key) + " of table " + Shown(other.name) +
                " does not have exactly once",
            "rk");
    AddNullPerson("key IS NULL AND (rk IS NULL OR found = 1)", Subject(through.source),
                  "that leads to no person");
    return {};
  }

  void AddNullPerson(const std::string& broken, const std::string& subject,
                     const std::string& text) {
    if (!table_.drops_null_person) AddRule("(" + broken + ")", subject, "row", text, "NULL");
  }

  Status PlanLinks() {
    plan_.links = LinksInto(context_.catalog, plan_.table);
    for (size_t i = 0; i < plan_.links.size(); ++i) {
      TACET_TRY(const RelationColumn* source, Find(plan_.links[i]));
      Inner(LinkText(*source) + " AS " + Link(i));
      Outer(Link(i));
      Output(Link(i));
      Append(plan_.keys, Link(i));
    }
    return {};
  }

  Status PlanOne(size_t index) {
    const Column& column = table_.columns[index];
    const std::string number = std::to_string(index + 1);
    const std::string reference =
        column.reference ? ReferencedValues(context_.catalog, *column.reference) : "";
    TACET_TRY(const RelationColumn* source, Find(column.source));
    const Result<ColumnSql> sql =
        PlanColumn(column, *source, "r" + number, "v" + number, reference);
    if (!sql.ok()) return Locate(sql.error());
    Inner(source->sql + " AS r" + number);
    Inner(sql->value + " AS v" + number);
    Outer("r" + number);
    const std::string id = VaultColumnName(table_, column);
    Outer(sql->stored + " AS " + id);
    Output(id);
    AddRules(column, *sql, number);
    return {};
  }

  void AddRule(std::string broken, std::string subject, std::string noun, std::string text,
               std::string shown) {
    plan_.rules.push_back({.broken = std::move(broken),
                           .subject = std::move(subject),
                           .noun = std::move(noun),
                           .text = std::move(text),
                           .shown = std::move(shown)});
  }

  // A condition is computed once, beside the value, and only if it can be true.
  void AddRules(const Column& column, const ColumnSql& sql, const std::string& number) {
    const std::string subject = Subject(column.name);
    const std::string r = "r" + number;
    std::string null = VaultColumnName(table_, column) + " IS NULL";
    if (sql.unreadable != "false") {
      Outer(sql.unreadable + " AS u" + number);
      AddRule("u" + number, subject, "value", "that cannot be read as " + column.type.ToString(),
              r);
      null += " AND NOT u" + number;
    }
    if (sql.outside != "false" && column.outside == Outside::kRefuse) {
      Outer(sql.outside + " AS o" + number);
      AddRule("o" + number, subject, "value", OutsideText(column), r);
      null += " AND NOT o" + number;
    } else if (sql.outside != "false") {
      plan_.clip_outer += ", " + sql.outside + " AS o" + number;
      plan_.clips.push_back({.outside = "o" + number,
                             .subject = subject,
                             .becomes = column.outside == Outside::kClamp ? "clamped" : "NULL"});
    }
    // What another rule speaks of is no NULL of the source's.
    if (!column.nullable) {
      AddRule("(" + null + ")", subject, "row", "without a value, but nullable = false", r);
    }
  }

  const PlanContext& context_;
  const Table& table_;
  TablePlan plan_;
};

}  // namespace

namespace {

std::string Select(const std::string& list, const std::string& inner, const std::string& from,
                   const std::string& join) {
  const std::string nothing = "NULL AS nothing";
  return "SELECT " + (list.empty() ? nothing : list) + " FROM (SELECT " +
         (inner.empty() ? nothing : inner) + " FROM " + from + ") AS x" + join;
}

}  // namespace

std::string TablePlan::Values(const std::string& from, const std::string& extra) const {
  const std::string front = extra.empty() || outer.empty() ? extra : extra + ", ";
  return Select(front + outer, front + inner, from, join);
}

std::string TablePlan::Clipped() const {
  return Select(outer + clip_outer, inner, relation.sql, join);
}

std::string TablePlan::Rows() const {
  std::string broken;
  for (const Rule& rule : rules) broken += (broken.empty() ? "" : " OR ") + rule.broken;
  std::string where;
  if (!broken.empty()) {
    where = " WHERE CASE WHEN " + broken + " THEN error('a row breaks a rule') ELSE true END";
  }
  if (has_key && drops_null_person) {
    where += (where.empty() ? " WHERE " : " AND ") + std::string("key IS NOT NULL");
  }
  return "SELECT " + output + " FROM (" + Values(relation.sql) + ")" + where;
}

std::string TablePlan::Keys() const {
  return "SELECT " + keys + " FROM (" + Select(key_outer, key_inner, relation.sql, join) + ")";
}

Result<TablePlan> PlanTable(const PlanContext& context, size_t table, Relation relation) {
  return TablePlanner(context, table, std::move(relation)).Plan();
}

std::vector<std::string> LinksInto(const Catalog& catalog, size_t table) {
  std::vector<std::string> links;
  for (const Table& other : catalog.tables) {
    const auto* through = std::get_if<PersonThrough>(&other.person);
    if (through == nullptr || through->table != table) continue;
    if (std::find(links.begin(), links.end(), through->key) == links.end()) {
      links.push_back(through->key);
    }
  }
  return links;
}

namespace {

class Sorter {
 public:
  explicit Sorter(const Catalog& catalog) : catalog_(catalog), state_(catalog.tables.size()) {}

  Status Visit(size_t table) {
    if (state_[table] == State::kDone) return {};
    if (state_[table] == State::kOpen) {
      return Error{.code = Code::kCatalog,
                   .message = "table " + Shown(catalog_.tables[table].name) +
                              " refers to itself through the values of its columns",
                   .hint = "list the values of one of the columns instead."};
    }
    state_[table] = State::kOpen;
    for (const size_t needed : Needs(catalog_.tables[table])) TACET_RETURN_IF_ERROR(Visit(needed));
    state_[table] = State::kDone;
    order_.push_back(table);
    return {};
  }
  std::vector<size_t> order() && { return std::move(order_); }

 private:
  enum class State { kNew, kOpen, kDone };

  static std::vector<size_t> Needs(const Table& table) {
    std::vector<size_t> needed;
    if (const auto* through = std::get_if<PersonThrough>(&table.person)) {
      needed.push_back(through->table);
    }
    for (const Column& column : table.columns) {
      if (column.reference) needed.push_back(column.reference->table);
    }
    return needed;
  }

  const Catalog& catalog_;
  std::vector<State> state_;
  std::vector<size_t> order_;
};

}  // namespace

Result<std::vector<size_t>> ImportOrder(const Catalog& catalog) {
  Sorter sorter(catalog);
  for (const bool is_public : {true, false}) {
    for (size_t i = 0; i < catalog.tables.size(); ++i) {
      if (catalog.tables[i].is_public() == is_public) TACET_RETURN_IF_ERROR(sorter.Visit(i));
    }
  }
  return std::move(sorter).order();
}

}  // namespace tacet
