// Elements of the page, and how numbers are written. Text from the data enters as text only.
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...inside) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
};
const draw = (tag, attributes = {}, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== "") element.textContent = text;
  return element;
};
const count = (n) => Math.round(n).toLocaleString("en-US");
const short = (n) => (n >= 1e9 ? `${+(n / 1e9).toPrecision(3)}G` : n >= 1e6 ? `${+(n / 1e6).toPrecision(3)}M`
  : n >= 1e3 ? `${+(n / 1e3).toPrecision(3)}k` : `${+n.toPrecision(3)}`);
const plain = (n) => (n === 0 ? "0" : Math.abs(n) >= 1e5 || Math.abs(n) < 1e-3 ? n.toExponential(1) : `${+n.toPrecision(4)}`);
const figure = (n) => (n === null ? "–" : data.is_share ? `${(100 * n).toFixed(1)} %` : plain(n));
const share = (part) => (part >= 0.0995 ? `${(100 * part).toFixed(0)} %` : `${+(100 * part).toPrecision(2)} %`);
const percent = (part) => (part === null || part === undefined ? "–" : `${(100 * part).toFixed(1)} %`);
const metric = data.metric_title;

// A table: a caption, the titles of the columns, and rows whose first cell is their title.
function table(caption, titles, rows, kind = "figures") {
  const head = make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)));
  const body = rows.map(([first, ...cells]) => make("tr", {}, make("th", { scope: "row" }, first),
    ...cells.map((cell) => (cell instanceof Element && cell.tagName === "TD" ? cell : make("td", {}, cell)))));
  return make("table", { class: kind }, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...body));
}

// What does not fit is scrolled within its own box, by keyboard too.
const wide = (label, inside) => make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, inside);
