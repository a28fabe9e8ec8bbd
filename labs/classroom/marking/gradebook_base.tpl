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
// What could not be read has no points, which is another thing than none.
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
