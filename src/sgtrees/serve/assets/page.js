"use strict";
// What the server tells every second, drawn. Everything from the server is set as text, never as HTML.
const element = (id) => document.getElementById(id);
const history = [];
const MOST_POINTS = 300;
let wait = 500;

const short = (value) => value === null || value === undefined ? "–"
  : Math.abs(value) >= 1e6 ? (value / 1e6).toFixed(2) + " M"
  : Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(4)).toString();

function rows(id, lines) {
  element(id).tBodies[0].replaceChildren(...lines.map((cells) => {
    const row = document.createElement("tr");
    for (const cell of cells) {
      const place = row.insertCell();
      if (cell instanceof Node) place.append(cell); else place.textContent = cell;
    }
    return row;
  }));
}

function meter(value) {
  const made = document.createElement("meter");
  made.value = value;
  return made;
}

function numbers(values) {
  element("numbers").replaceChildren(...Object.entries(values).map(([name, value]) => {
    const box = document.createElement("div");
    const number = document.createElement("span");
    number.textContent = value;
    box.append(name, number);
    return box;
  }));
}

function draw(error) {
  history.push(error.latest);
  if (history.length > MOST_POINTS) history.shift();
  const names = Object.keys(error.latest);
  const most = Math.max(1e-12, ...history.flatMap((now) => Object.values(now).map((v) => v ?? 0)));
  element("chart").replaceChildren(...names.map((name, number) => {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    line.setAttribute("class", "c" + number % 3);
    line.setAttribute("points", history.map((now, x) => now[name] === null ? "" :
      `${600 * x / (MOST_POINTS - 1)},${195 - 190 * now[name] / most}`).join(" "));
    return line;
  }));
  element("legend").replaceChildren(...names.map((name, number) => {
    const label = document.createElement("b");
    label.className = "c" + number % 3;
    label.textContent = `${name} ${short(error.latest[name])} (all rows ${short(error.all[name])})`;
    return label;
  }));
  element("error-title").textContent = `${error.metric === "error" ? "Error" : `Error (${error.metric})`} of the latest rows`;
}

function show(now) {
  const model = now.model;
  document.title = `${model.target}: ${model.estimator}`;
  numbers({
    "rows learned": short(model.rows), "rows/s learned": short(now.learned_per_second),
    "rows/s predicted": short(now.predicted_per_second), "requests/s": short(now.requests_per_second),
    "median ms": short(now.latency_ms[0]), "99 % within ms": short(now.latency_ms[1]),
    "rows that wait": short(now.queued_rows), "leaves": short(model.leaves),
    "memory": model.memory_bytes === undefined ? "–" : short(model.memory_bytes / 1e6) + " MB",
    "learning": now.reason === null ? "yes" : now.reason,
  });
  draw(model.error);
  rows("importances", Object.entries(model.importances ?? {}).map(([name, value]) => [name, meter(value), short(value)]));
  rows("drifts", (model.drifts ?? []).map((drift) => [short(drift.row), drift.kind]).reverse());
  askForTree(model.rows);
  rows("refused", now.refused.map((one) =>
    [new Date(1000 * one.time).toLocaleTimeString(), one.path, one.status, one.message]).reverse());
}

// ---- the tree --------------------------------------------------------------------------------

const opened = new Set(["0"]);
let shownTrees = { rows: -1, trees: [], n_trees: 0, changes: [] };
let isAsking = false;

const percent = (share) => (share >= 0.0995 ? (100 * share).toFixed(0) : (100 * share).toPrecision(2)) + " %";

function word(kind, text) {
  const made = document.createElement("span");
  made.className = kind;
  made.textContent = text;
  return made;
}

// A node is known again after an update by the conditions on the way to it.
function branch(tree, place, path) {
  const node = tree.nodes[place];
  const line = document.createElement("li");
  const words = [word("condition", node.condition + " "), word("value", node.value + " "),
    word("share", `${percent(node.share)} of rows` + (node.more ? `, ${node.more} nodes below not shown` : ""))];
  if (!node.children.length) {
    line.className = "leaf";
    line.append(...words);
    return line;
  }
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.append(...words);
  details.append(summary);
  const below = document.createElement("ul");
  const fill = () => {
    if (!below.childNodes.length)
      below.append(...node.children.map((child) => branch(tree, child, path + " / " + tree.nodes[child].condition)));
  };
  details.append(below);
  details.open = opened.has(path);
  if (details.open) fill();
  details.addEventListener("toggle", () => {
    if (details.open) { opened.add(path); fill(); } else opened.delete(path);
  });
  line.append(details);
  return line;
}

function drawTree() {
  const choice = element("tree-number");
  const number = Math.min(Number(choice.value || 0), Math.max(0, shownTrees.trees.length - 1));
  if (choice.options.length !== shownTrees.trees.length) {
    choice.replaceChildren(...shownTrees.trees.map((_, place) => new Option(String(place + 1), String(place))));
    choice.value = String(number);
  }
  element("tree-choice").hidden = shownTrees.trees.length < 2;
  const tree = shownTrees.trees[number];
  const list = element("tree");
  const top = list.scrollTop;
  list.replaceChildren(...(tree ? [branch(tree, 0, String(number))] : []));
  list.scrollTop = top;
  element("tree-title").textContent = tree ? `Tree: ${tree.title}` : "Tree";
  const more = shownTrees.n_trees > shownTrees.trees.length ? `, the first ${shownTrees.trees.length} of ${shownTrees.n_trees} trees` : "";
  element("tree-note").textContent = tree
    ? `${short(tree.n_nodes)} nodes after ${short(shownTrees.rows)} rows${more}` : "no tree yet";
  element("no-changes").hidden = shownTrees.changes.length > 0;
  rows("changes", shownTrees.changes.map((change) => ["row " + short(change.rows), change.kind, change.text]));
}

async function askForTree(rowsNow) {
  if (isAsking || rowsNow === shownTrees.rows || document.hidden) return;
  isAsking = true;
  try {
    const reply = await fetch("tree", { headers: authorization() });
    if (!reply.ok) return;
    const found = await reply.json();
    const isNew = found.rows !== shownTrees.rows || found.trees.length !== shownTrees.trees.length;
    shownTrees = found;
    if (isNew) drawTree();
  } catch { /* the connection of the events says it */ } finally {
    isAsking = false;
  }
}

function setAll(isOpen) {
  // Those that are unfolded bring further ones.
  for (let found = true; found;) {
    found = false;
    for (const details of document.querySelectorAll("#tree details")) {
      if (details.open !== isOpen) {
        details.open = isOpen;
        details.dispatchEvent(new Event("toggle"));
        found = isOpen;
      }
    }
  }
}

element("tree-number").addEventListener("change", drawTree);
element("unfold").addEventListener("click", () => setAll(true));
element("fold").addEventListener("click", () => setAll(false));

// ---- the connection --------------------------------------------------------------------------

function say(text, isLost) {
  element("status").textContent = text;
  element("status").className = isLost ? "lost" : "";
}

function authorization() {
  const token = sessionStorage.getItem("token");
  return token ? { Authorization: "Bearer " + token } : {};
}

async function listen() {
  // Not an EventSource: that cannot send a token.
  const reply = await fetch("events", { headers: authorization() });
  if (reply.status === 401 || reply.status === 403) {
    element("access").hidden = false;
    say("a token is needed", true);
    return false;
  }
  if (!reply.ok) throw new Error(reply.status);
  element("access").hidden = true;
  say("live", false);
  wait = 500;
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return true;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) if (event.startsWith("data: ")) show(JSON.parse(event.slice(6)));
  }
}

async function run() {
  for (;;) {
    try {
      if (!await listen()) return;
    } catch { /* the server has gone; it may return */ }
    say("the server does not answer; trying again", true);
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(10000, 2 * wait);
  }
}

element("access").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", element("token").value);
  run();
});
run();
