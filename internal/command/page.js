"use strict";
for (const p of document.querySelectorAll(".filter")) p.hidden = false;
const hides = (e, is) => { e.style.display = is ? "none" : ""; };
function update(id) {
  const table = document.getElementById(id);
  const words = document.querySelector(`[data-filter="${id}"]`).value.toLowerCase();
  const changed = document.querySelector(`[data-changed="${id}"]`)?.checked;
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const rows = [...table.tBodies[0].rows];
  const has = (e) => e.textContent.toLowerCase().includes(words);
  const differs = (e) => !changed || e.classList.contains("lost") || e.classList.contains("gained");
  const columns = heads.some(has) && words !== "" && !rows.some((r) => has(r.cells[0])) ? heads.map(has) : heads.map(() => true);
  for (const row of rows) {
    const cells = [...row.cells].slice(1);
    const byName = has(row.cells[0]) || columns.some((c) => !c);
    hides(row, !byName || !cells.some((c, i) => columns[i] && differs(c)));
    cells.forEach((c, i) => hides(c, !columns[i]));
  }
  heads.forEach((h, i) => hides(h, !columns[i]));
}
for (const input of document.querySelectorAll("[data-filter], [data-changed]"))
  input.addEventListener("input", () => update(input.dataset.filter || input.dataset.changed));
for (const input of document.querySelectorAll("[data-details]"))
  input.addEventListener("input", () => {
    for (const d of document.getElementById(input.dataset.details).children)
      hides(d, !d.querySelector("summary").textContent.toLowerCase().includes(input.value.toLowerCase()));
  });
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
