// Importances, segments, calibration or residuals, and the tables of classes.
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
  const names = data.names, when = data.kind === "test" ? "as the model was" : "before they were learned";
  at("segments-note").textContent = `The ${metric} of the rows of each segment alone, predicted ${when}.`;
  const highest = Math.max(...data.segments.flatMap((s) => s.values).filter((v) => v !== null), 1e-300);
  const rows = data.segments.map((segment) => [`${short(segment.first)} – ${short(segment.last)}`,
    ...segment.values.map((value, k) => {
      const stripe = make("i", { class: `l${Math.min(k, 3)}` });
      stripe.style.width = `${Math.max(0, 4 * (value ?? 0) / highest)}rem`;
      return make("td", { class: "barred" }, make("span", {}, figure(value)), stripe);
    })]);
  at("segments").append(wide("Segments of the stream", table(`${metric}, windowed`, ["rows", ...names], rows)));
}

function reliability() {
  const bins = data.reliability;
  at("check-title").textContent = "Calibration";
  at("check-note").textContent = "The accuracy by the predicted probability of the predicted label. A calibrated model lies on the dashed line; larger dots are more rows.";
  const low = Math.min(...bins.map((b) => Math.min(b.confidence, b.accuracy)), 0.5);
  const unit = (v) => (v - low) / (1 - low);
  chart(at("check"), {
    label: `Calibration: ${bins.map((b) => `predicted ${percent(b.confidence)}, right ${percent(b.accuracy)}`).join("; ")}`,
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
  at("check-note").textContent = `A random sample of ${count(pairs.length)} rows${data.kind === "test" ? "" : ", predicted before they were learned"}. Correct predictions lie on the dashed line. The outermost 1 % is not drawn.`;
  const range = (values) => {
    const sorted = values.sort((a, b) => a - b), low = quantile(sorted, 0.005), high = quantile(sorted, 0.995);
    return high > low ? [low, high] : [low - 1, low + 1];
  };
  const [x0, x1] = range(pairs.map((pair) => pair[0])), [y0, y1] = range(pairs.map((pair) => pair[1]));
  const inside = ([p, t]) => p >= x0 && p <= x1 && t >= y0 && t <= y1;
  chart(at("check"), {
    label: `Predicted and true ${data.target} of ${count(pairs.length)} rows; right predictions are on the diagonal.`,
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
  const counts = data.confusion ?? [];
  if (counts.length < 2) { at("confusion-section").hidden = true; return; }
  const rows = counts.map((row, k) => {
    const total = row.reduce((a, b) => a + b, 0);
    return [data.labels[k] ?? "", ...row.map((n, j) => {
      const part = total ? n / total : 0;
      const cell = make("td", { class: j === k ? "hit" : "", title: `${count(n)} rows` }, total ? `${(100 * part).toFixed(1)}` : "–");
      cell.style.background = `color-mix(in srgb, ${j === k ? "var(--tree)" : "var(--other)"} ${(45 * part).toFixed(0)}%, transparent)`;
      return cell;
    }), count(total)];
  });
  const titles = ["true label", ...counts.map((_, k) => data.labels[k] ?? ""), "rows"];
  at("confusion").append(wide("Confusion matrix", table(`${data.names[0]}, all rows, in % of each row`, titles, rows, "figures confusion")));
}

function classes() {
  const names = data.names.filter((name) => (data.classes ?? {})[name]);
  if (!names.length || data.labels.length < 2) { at("classes-section").hidden = true; return; }
  for (const [key, title] of [["precision", "Precision"], ["recall", "Recall"], ["f1", "F1"]]) {
    const rows = data.labels.map((label, k) => [label, ...names.map((name) => percent(data.classes[name][key][k])),
      count(data.classes[names[0]].rows[k] ?? 0)]);
    at("classes").append(wide(title, table(`${title}, all rows`, ["label", ...names, "rows"], rows)));
  }
}

function events() {
  if (!data.events.length) { at("events").append(make("p", { class: "note" }, "Nothing: the errors did not rise, and all values stayed within their bins.")); return; }
  const rows = data.events.slice(-200).map((event) => [count(event.row), described(event), event.why]);
  const latest = rows.length < data.events.length ? `The latest ${count(rows.length)} of ${count(data.events.length)} moments` : `${count(rows.length)} moments, the latest last`;
  at("events").append(wide("Moments of change", table(rows.length === 1 ? "One moment" : latest, ["row", "what", "why"], rows, "events")));
}
