{%- extends 'base.tpl' -%}

{%- block title -%}
Manual Grading
{%- endblock -%}

{%- block sidebar -%}
<li role="presentation" class="active"><a href="{{ base_url }}/formgrader/gradebook">Manual Grading</a></li>
{%- endblock -%}

{%- block script -%}
<script>
// The list says what `grades.csv` says: who it is, by name and id, and what there is to do.
// What has no points yet, or could not be read, is no zero: neither in a row nor in an average.
const SCORES = {
  AssignmentUI: {$score: "average_score"},
  NotebookUI: {$avg_score: "average_score", $avg_code_score: "average_code_score", $avg_written_score: "average_written_score"},
  SubmittedNotebookUI: {$score: "score", $code_score: "code_score", $written_score: "written_score"},
};
for (const [view, cells] of Object.entries(SCORES)) {
  const known = window[view]?.prototype, render = known?.render;
  if (!known) continue;
  known.render = function () {
    render.call(this);
    for (const [cell, name] of Object.entries(cells)) {
      if (this.model.get(name) === null) this[cell].attr("data-order", -1).text("–");
    }
  };
}
if (window.SubmittedNotebookUI || typeof SubmittedNotebookUI !== "undefined") {
  const render = SubmittedNotebookUI.prototype.render;
  SubmittedNotebookUI.prototype.render = function () {
    render.call(this);
    const id = this.model.get("student"), shown = this.$name.find(".name-shown");
    if (shown.text() !== id) shown.text(`${shown.text()} (${id})`);
    const look = this.model.get("look");
    if (this.model.get("needs_manual_grade")) {
      this.$needs_manual_grade.text(this.model.get("state")).attr("title", look);
    }
    const why = this.model.get("unread");
    if (!why) return;
    for (const cell of [this.$score, this.$code_score]) {
      cell.attr("data-order", -1).text("not read").attr("title", why);
    }
  };
}
</script>
{%- endblock -%}
