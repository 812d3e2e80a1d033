"use strict";
(() => {
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
  const metric = data.metric_title;

  // ---- axes -------------------------------------------------------------------------------------

  const niceStep = (span, n) => {
    const raw = span / n, base = 10 ** Math.floor(Math.log10(raw));
    return base * ([1, 2, 2.5, 5, 10].find((step) => step * base >= raw) ?? 10);
  };
  const ticks = (low, high, n) => {
    if (!(high > low)) return [low];
    const step = niceStep(high - low, n), found = [];
    for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) found.push(v);
    return found;
  };
  const logTicks = (low, high) => {
    const found = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e += 1)
      for (const m of [1, 2, 5]) { const v = m * 10 ** e; if (v >= low * 0.999 && v <= high * 1.001) found.push(v); }
    return found;
  };
  const thin = (values, most) => values.filter((_, place) => place % Math.ceil(values.length / most) === 0);

  function chart(box, { x, y, height, xTicks, yTicks, xText, yText, xName, paint, hover }) {
    const width = Math.max(box.clientWidth, 240), left = 52, right = 14, top = 10, bottom = 38;
    const px = (v) => left + x(v) * (width - left - right), py = (v) => height - bottom - y(v) * (height - top - bottom);
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img" });
    for (const v of yTicks) {
      svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: py(v), y2: py(v) }));
      svg.append(draw("text", { x: left - 8, y: py(v) + 4, "text-anchor": "end" }, yText(v)));
    }
    for (const v of thin(xTicks, Math.floor((width - left) / 48)))
      svg.append(draw("text", { x: px(v), y: height - bottom + 18, "text-anchor": "middle" }, xText(v)));
    svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }));
    svg.append(draw("text", { x: width - right, y: height - 4, "text-anchor": "end" }, xName));
    paint(svg, px, py);
    box.replaceChildren(svg);
    if (hover) addHover(box, svg, px, py, hover, { left, right, width });
  }

  function addHover(box, svg, px, py, hover, { left, right, width }) {
    const tip = make("div", { class: "tip" });
    const mark = draw("line", { class: "axis", y1: 10, y2: svg.getAttribute("height") - 38, visibility: "hidden" });
    svg.append(mark);
    box.append(tip);
    const show = (event) => {
      const place = (event.clientX - svg.getBoundingClientRect().left) * (width / svg.getBoundingClientRect().width);
      let nearest = hover[0];
      for (const point of hover) if (Math.abs(px(point.x) - place) < Math.abs(px(nearest.x) - place)) nearest = point;
      mark.setAttribute("x1", px(nearest.x)); mark.setAttribute("x2", px(nearest.x)); mark.setAttribute("visibility", "visible");
      tip.textContent = nearest.text;
      tip.style.display = "block";
      const half = tip.offsetWidth / 2;
      tip.style.left = `${Math.min(Math.max(px(nearest.x), half), width - half)}px`;
      tip.style.top = `${py(nearest.y)}px`;
    };
    const hide = () => { tip.style.display = "none"; mark.setAttribute("visibility", "hidden"); };
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show);
    svg.addEventListener("pointerleave", hide);
  }

  const path = (points) => points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

  // ---- learning curve ---------------------------------------------------------------------------

  function curve() {
    const points = data.points, first = points[0].rows, last = points[points.length - 1].rows;
    const values = points.flatMap((p) => p.values).filter((v) => v !== null);
    const best = data.metric === "error" && data.best.every((v) => v !== null) ? data.best : null;
    const top = Math.max(...values) * 1.08 || 1, low = Math.min(0, ...values);
    const isLog = last / first > 8;
    const x = (v) => (last === first ? 0.5 : isLog ? Math.log(v / first) / Math.log(last / first) : (v - first) / (last - first));
    const y = (v) => (v - low) / (top - low);
    const scale = data.is_share ? 100 : 1;
    chart(at("curve"), {
      x, y, height: 320,
      xTicks: isLog ? logTicks(first, last) : ticks(first, last, 8), yTicks: ticks(low * scale, top * scale, 6).map((v) => v / scale),
      xText: short, yText: (v) => (data.is_share ? `${+(100 * v).toPrecision(4)} %` : plain(v)), xName: "rows",
      paint: (svg, px, py) => {
        for (const event of data.drifts.filter((e) => e.kind === "replaced")) {
          const place = px(Math.max(event.row, first));
          const mark = draw("line", { class: "drift", x1: place, x2: place, y1: py(low), y2: py(top) });
          mark.append(draw("title", {}, `row ${count(event.row)}: trees replaced, ${event.why}`));
          svg.append(mark);
        }
        if (best) svg.append(draw("path", { class: "best", d: path(points.map((p, i) => [px(p.rows), py(best[i])])) }));
        for (let k = data.names.length - 1; k >= 0; k -= 1) {
          const known = points.filter((p) => p.values[k] !== null).map((p) => [px(p.rows), py(p.values[k])]);
          if (known.length === 1) svg.append(draw("circle", { class: "dot", cx: known[0][0], cy: known[0][1], r: 4 }));
          else svg.append(draw("path", { class: `line${Math.min(k, 2)}`, d: path(known) }));
        }
      },
      hover: points.map((p) => ({
        x: p.rows, y: p.values[0] ?? low,
        text: `${count(p.rows)} rows: ${data.names.map((n, k) => `${n} ${figure(p.values[k])}`).join(", ")}`
          + (p.leaves === null ? "" : `, ${count(p.leaves)} leaves`),
      })),
    });
    const legend = make("div", { class: "legend" });
    data.names.forEach((name, k) => legend.append(make("span", { class: `l${Math.min(k, 2)}` }, make("i"), name)));
    if (best) legend.append(make("span", { class: "lb" }, make("i"), "best possible"));
    if (data.drifts.some((e) => e.kind === "replaced")) legend.append(make("span", { class: "ld" }, make("i"), "trees replaced"));
    at("curve").prepend(legend);
  }

  // ---- trees ------------------------------------------------------------------------------------

  const MOST_AT_ONCE = 12;

  function nodeLine(tree, node, tag) {
    const share = node.share >= 0.0995 ? `${(100 * node.share).toFixed(0)} %` : `${+(100 * node.share).toPrecision(2)} %`;
    const condition = make("span", { class: "condition" }, node.condition);
    if (node.feature !== null) condition.append(make("span", { class: "feature" }, ` → ${node.feature}?`));
    const value = make("span", { class: "value" }, node.value);
    value.style.setProperty("--tone", `color-mix(in srgb, var(--high) ${(100 * node.tone).toFixed(0)}%, var(--low))`);
    const right = make("span", { class: "right" }, value, " ", make("span", { class: "share" }, `${share} of rows`));
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

  function showTree(number) {
    const tree = data.trees[number];
    at("tree-note").textContent = `Each line: condition → feature of the next split; ${tree.title}; share of all rows. `
      + `Rows with a missing value take the branch with “or missing”. ${count(tree.n_nodes)} nodes; click to open.`;
    const root = nodeElement(tree, 0);
    at("tree").replaceChildren(root);
    if (root.tagName === "DETAILS") {
      root.open = true;
      fill(tree, tree.nodes[0], root);
    }
  }

  function trees() {
    if (data.trees.length === 0) { at("tree-note").textContent = "There is no tree yet: the model needs more rows."; return; }
    if (data.trees.length > 1) {
      const choice = make("select", { "aria-label": "tree" });
      data.trees.forEach((tree, place) => choice.append(make("option", { value: place }, tree.title)));
      choice.addEventListener("change", () => showTree(Number(choice.value)));
      at("tree-choice").append(choice);
      if (data.n_trees > data.trees.length) at("tree-choice").append(` ${count(data.n_trees - data.trees.length)} more trees are not on this page`);
    }
    showTree(0);
  }

  // ---- bars -------------------------------------------------------------------------------------

  function bar(part, text, kind = "") {
    const stripe = make("i", kind ? { class: kind } : {});
    stripe.style.width = `${Math.max(0, 72 * part)}%`;
    return make("div", {}, stripe, text);
  }

  function importances() {
    if (data.importances.length === 0) { at("importances-section").hidden = true; return; }
    const box = make("div", { class: "bars" }), highest = data.importances[0][1];
    for (const [name, share] of data.importances)
      box.append(make("span", { title: name }, name), bar(share / highest, `${(100 * share).toFixed(1)} %`));
    at("importances").append(box);
    if (data.n_features_left_out) at("importances").append(make("p", { class: "note" }, `and ${count(data.n_features_left_out)} more columns`));
  }

  function segments() {
    at("segments-note").textContent = `The ${metric} in each segment, of rows before they were learned: ${data.names.join(", ")}.`;
    const box = make("div", { class: "bars" });
    const highest = Math.max(...data.segments.flatMap((s) => s.values).filter((v) => v !== null), 1e-300);
    for (const segment of data.segments) {
      const pair = make("div", { class: "pair" });
      segment.values.forEach((value, k) => pair.append(bar((value ?? 0) / highest, k ? "" : figure(value), k ? `l${Math.min(k, 2)}` : "")));
      box.append(make("span", {}, `${short(segment.first)} – ${short(segment.last)}`), pair);
    }
    at("segments").append(box);
  }

  // ---- calibration or residuals -----------------------------------------------------------------

  function reliability() {
    const bins = data.reliability;
    at("check-title").textContent = "Calibration";
    at("check-note").textContent = "The accuracy by the predicted probability of the predicted label. A calibrated model lies on the dashed line; larger dots are more rows.";
    const low = Math.min(...bins.map((b) => Math.min(b.confidence, b.accuracy)), 0.5);
    const unit = (v) => (v - low) / (1 - low);
    chart(at("check"), {
      x: unit, y: unit, height: 300, xTicks: ticks(low, 1, 6), yTicks: ticks(low, 1, 6), xName: "predicted probability",
      xText: (v) => `${(100 * v).toFixed(0)} %`, yText: (v) => `${(100 * v).toFixed(0)} %`,
      paint: (svg, px, py) => {
        svg.append(draw("path", { class: "best", d: path([[px(low), py(low)], [px(1), py(1)]]) }));
        svg.append(draw("path", { class: "line0", d: path(bins.map((b) => [px(b.confidence), py(b.accuracy)])) }));
        for (const b of bins) svg.append(draw("circle", { class: "dot", cx: px(b.confidence), cy: py(b.accuracy), r: 4 + 12 * Math.sqrt(b.share) }));
      },
      hover: bins.map((b) => ({ x: b.confidence, y: b.accuracy, text: `predicted ${(100 * b.confidence).toFixed(1)} %, accuracy ${(100 * b.accuracy).toFixed(1)} %, ${(100 * b.share).toFixed(1)} % of rows` })),
    });
  }

  const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(q * (sorted.length - 1))))];

  function residuals() {
    const pairs = data.residuals;
    at("check-title").textContent = "Predicted and true values";
    at("check-note").textContent = `A random sample of ${count(pairs.length)} rows, predicted before they were learned. Correct predictions lie on the dashed line. The outermost 1 % is not drawn.`;
    const range = (values) => {
      const sorted = values.sort((a, b) => a - b), low = quantile(sorted, 0.005), high = quantile(sorted, 0.995);
      return high > low ? [low, high] : [low - 1, low + 1];
    };
    const [x0, x1] = range(pairs.map((pair) => pair[0])), [y0, y1] = range(pairs.map((pair) => pair[1]));
    const inside = ([p, t]) => p >= x0 && p <= x1 && t >= y0 && t <= y1;
    chart(at("check"), {
      x: (v) => (v - x0) / (x1 - x0), y: (v) => (v - y0) / (y1 - y0), height: 340,
      xTicks: ticks(x0, x1, 7), yTicks: ticks(y0, y1, 7), xText: plain, yText: plain, xName: `predicted ${data.target}`,
      paint: (svg, px, py) => {
        for (const [p, t] of pairs.filter(inside)) svg.append(draw("circle", { class: "dot", cx: px(p).toFixed(1), cy: py(t).toFixed(1), r: 2.6 }));
        const a = Math.max(x0, y0), b = Math.min(x1, y1);
        if (b > a) svg.append(draw("path", { class: "best", d: path([[px(a), py(a)], [px(b), py(b)]]) }));
        svg.append(draw("text", { x: 56, y: 20 }, `true ${data.target}`));
      },
    });
  }

  function check() {
    if (data.reliability && data.reliability.length) reliability();
    else if (data.residuals && data.residuals.length) residuals();
    else at("check-section").hidden = true;
  }

  function confusion() {
    const table = data.confusion ?? [];
    if (table.length < 2) { at("confusion-section").hidden = true; return; }
    const head = make("tr", {}, make("th"), ...table.map((_, k) => make("th", {}, data.labels[k] ?? "")));
    const lines = table.map((row, k) => {
      const total = row.reduce((a, b) => a + b, 0);
      return make("tr", {}, make("th", {}, data.labels[k] ?? ""), ...row.map((n, j) => {
        const part = total ? n / total : 0;
        const cell = make("td", { class: j === k ? "hit" : "", title: `${count(n)} rows` }, total ? `${(100 * part).toFixed(1)}` : "–");
        cell.style.background = `color-mix(in srgb, ${j === k ? "var(--tree)" : "var(--other)"} ${(60 * part).toFixed(0)}%, transparent)`;
        return cell;
      }));
    });
    at("confusion").append(make("table", { class: "confusion" }, head, ...lines));
  }

  at("curve-note").textContent = `The ${metric} since the previous point; each row was predicted before it was learned.`;
  trees(); importances(); segments(); confusion();
  const redraw = () => { curve(); check(); };
  redraw();
  let waiting = 0;
  window.addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 100); });
})();
