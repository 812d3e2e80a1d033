// The tree as a list that opens line by line.
const MOST_AT_ONCE = 12;

function nodeLine(tree, node, tag) {
  const condition = make("span", { class: "condition" }, node.condition);
  if (node.feature !== null) condition.append(make("span", { class: "feature" }, ` → ${node.feature}?`));
  const value = make("span", { class: "value" }, node.value);
  value.style.setProperty("--tone", `color-mix(in srgb, var(--high) ${(100 * node.tone).toFixed(0)}%, var(--low))`);
  const right = make("span", { class: "right" }, value, " ", make("span", { class: "share" }, `${share(node.share)} of rows`));
  return make(tag, tag === "summary" ? {} : { class: "leaf" }, condition, right);
}

function nodeElement(tree, place) {
  const node = tree.nodes[place];
  if (node.children.length === 0 && node.more === 0) return nodeLine(tree, node, "div");
  const details = make("details", {}, nodeLine(tree, node, "summary"));
  // The inside is made when it is first opened.
  details.addEventListener("toggle", () => fill(tree, node, details), { once: false });
  return details;
}

function fill(tree, node, details) {
  if (details.childElementCount > 1) return;
  const inside = make("div");
  const add = (from) => {
    const until = Math.min(from + MOST_AT_ONCE, node.children.length);
    for (let k = from; k < until; k += 1) inside.append(nodeElement(tree, node.children[k]));
    if (until < node.children.length) {
      const button = make("button", { type: "button" }, `${count(node.children.length - until)} more`);
      const line = make("div", { class: "more" }, button);
      button.addEventListener("click", () => { line.remove(); add(until); });
      inside.append(line);
    } else if (node.more > 0) inside.append(make("div", { class: "more" }, `${count(node.more)} nodes with fewer rows are not on this page`));
  };
  add(0);
  details.append(inside);
}

function showList(tree) {
  const root = nodeElement(tree, 0);
  at("tree").replaceChildren(root);
  if (root.tagName === "DETAILS") {
    root.open = true;
    fill(tree, tree.nodes[0], root);
  }
}
