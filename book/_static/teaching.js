// A button that opens all folded answers of "Marking the written answers", to search or print them.
addEventListener("DOMContentLoaded", () => {
  const folded = [...document.querySelectorAll("details.marking")];
  if (!folded.length) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "open-all";
  const say = () => (button.textContent = folded.every((each) => each.open) ? "Close all" : "Open all");
  button.addEventListener("click", () => {
    const open = !folded.every((each) => each.open);
    folded.forEach((each) => (each.open = open));
  });
  folded.forEach((each) => each.addEventListener("toggle", say));
  say();
  folded[0].before(button);
});
