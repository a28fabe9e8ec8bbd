{%- extends 'base.tpl' -%}

{%- block title -%}
Manual Grading
{%- endblock -%}

{%- block sidebar -%}
<li role="presentation" class="active"><a href="{{ base_url }}/formgrader/gradebook">Manual Grading</a></li>
{%- endblock -%}

{%- block script -%}
<script>
// What could not be read has no points, which is another thing than none.
if (window.SubmittedNotebookUI || typeof SubmittedNotebookUI !== "undefined") {
  const render = SubmittedNotebookUI.prototype.render;
  SubmittedNotebookUI.prototype.render = function () {
    render.call(this);
    const why = this.model.get("unread");
    if (!why) return;
    for (const cell of [this.$score, this.$code_score]) {
      cell.attr("data-order", -1).text("not read").attr("title", why);
    }
  };
}
</script>
{%- endblock -%}
