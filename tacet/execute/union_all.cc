// SPDX-License-Identifier: Apache-2.0
#include "tacet/execute/union_all.h"

#include <algorithm>
#include <utility>

#include "tacet/execute/evaluate.h"
#include "tacet/execute/post_process.h"

namespace tacet {
namespace {

struct Row {
  std::vector<Value> values;
  std::vector<std::optional<double>> margins;
  std::vector<Value> order = {};
};

}  // namespace

Answer AnswerOfAll(const Plan& plan, const std::vector<Answer>& parts) {
  std::vector<Row> rows;
  for (const Answer& part : parts) {
    for (size_t i = 0; i < part.rows.size(); ++i) {
      Row row{.values = part.rows[i], .margins = part.margins[i]};
      for (size_t j = 0; j < row.values.size(); ++j) {
        row.values[j] = InType(row.values[j], plan.outputs[j].expr.type);
      }
      for (const OrderBy& order : plan.order_by) {
        row.order.push_back(row.values[std::get<PostKey>(order.expr.node).index]);
      }
      rows.push_back(std::move(row));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return CompareInOrder(plan.order_by, a.order, b.order) < 0;
  });
  const ShownPart part = ShownOf(plan, rows.size());
  Answer answer = WithoutRows(plan);
  for (size_t i = part.begin; i < part.end; ++i) {
    answer.rows.push_back(std::move(rows[i].values));
    answer.margins.push_back(std::move(rows[i].margins));
  }
  return answer;
}

}  // namespace tacet
