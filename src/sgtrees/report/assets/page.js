// Draws the page.
let diagram = null;

function showTree(number) {
  const tree = data.trees[number];
  at("tree-note").textContent = `Each box and line: its condition; ${tree.title}; share of all rows. Rows with a missing value take the `
    + `branch with “or missing”. ${count(tree.n_nodes)} nodes. Click a box to unfold it, drag to pan; arrow keys and Enter do the same.`;
  diagram.show(tree);
  showList(tree);
  at("found").textContent = "";
}

function trees() {
  if (data.trees.length === 0) {
    at("tree-note").textContent = "There is no tree yet: the model needs more rows.";
    at("tree-parts").hidden = true;
    return;
  }
  diagram = new TreeDiagram(at("diagram"));
  if (data.trees.length > 1) {
    const choice = make("select", { "aria-label": "Tree" });
    data.trees.forEach((tree, place) => choice.append(make("option", { value: place }, `${place + 1}: ${tree.title}`)));
    choice.addEventListener("change", () => showTree(Number(choice.value)));
    at("tree-choice").append(choice);
    if (data.n_trees > data.trees.length) at("tree-choice").append(` ${count(data.n_trees - data.trees.length)} more trees are not on this page`);
  }
  const search = at("search");
  search.addEventListener("input", () => {
    const n = diagram.search(search.value);
    at("found").textContent = search.value.trim() ? `${count(n)} found` : "";
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const place = diagram.next();
    if (place) at("found").textContent = `${count(place)} of ${count(diagram.hits.size)}`;
  });
  const buttons = { "zoom-in": () => diagram.zoomBy(1), "zoom-out": () => diagram.zoomBy(-1), unfold: () => diagram.unfoldMore(), fold: () => diagram.fold() };
  for (const [id, act] of Object.entries(buttons)) at(id).addEventListener("click", act);
  showTree(0);
}

const learned = data.kind === "test" ? "the model learned none of them" : "each row was predicted before it was learned";
at("curve-note").textContent = `The ${metric}: solid lines are over the window of each point, dashed lines are cumulative, over all rows so far; ${learned}.`;
trees(); importances(); segments(); classes(); confusion(); events(); curveTable();
const redraw = () => { curve(); members(); check(); };
redraw();
let waiting = 0;
window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 100); });
