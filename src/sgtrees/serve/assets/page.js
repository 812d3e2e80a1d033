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
  element("error-title").textContent = `Error (${error.metric}) of the latest rows`;
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
  rows("refused", now.refused.map((one) =>
    [new Date(1000 * one.time).toLocaleTimeString(), one.path, one.status, one.message]).reverse());
}

function say(text, isLost) {
  element("status").textContent = text;
  element("status").className = isLost ? "lost" : "";
}

async function listen() {
  // Not an EventSource: that cannot send a token.
  const token = sessionStorage.getItem("token");
  const reply = await fetch("events", { headers: token ? { Authorization: "Bearer " + token } : {} });
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
