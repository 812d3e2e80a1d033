// The learning curve: windows as solid lines, cumulative values as dashed ones, and the moments of change.
const WORDS = { alarm: "errors rose", replaced: "trees replaced", "given up": "new trees given up", "new bins": "new bins" };
// The moments that are marked in the curve: the classes of their lines, and of the legend.
const MARKS = { alarm: ["alarm", "la"], replaced: ["replaced", "ld"], "new bins": ["bins", "ln"] };

// In an ensemble trees are replaced member by member, which has a chart of its own.
const isOfMembers = (event) => data.members.length > 0 && event.member !== undefined;
const described = (event) => (isOfMembers(event)
  ? `${data.members[event.member]} ${{ alarm: "has more errors", replaced: data.replaced, "given up": "gives up its new trees" }[event.kind] ?? event.kind}`
  : WORDS[event.kind] ?? event.kind);

// The axis of rows: where a row is, from 0 to 1, and its marks. Those outside of the points are at its ends.
function rowAxis() {
  const first = data.points[0].rows, last = data.points[data.points.length - 1].rows, isLog = last / first > 8;
  const place = (v) => (last === first ? 0.5 : isLog ? Math.log(v / first) / Math.log(last / first) : (v - first) / (last - first));
  return { first, last, x: (v) => place(Math.min(Math.max(v, first), last)), ticks: isLog ? logTicks(first, last) : ticks(first, last, 8) };
}

function curve() {
  const points = data.points, { first, last, x, ticks: xTicks } = rowAxis();
  const total = (p, k) => (p.totals[k] === undefined ? null : p.totals[k]);
  const values = points.flatMap((p) => [...p.values, ...p.totals]).filter((v) => v !== null && v !== undefined);
  const best = data.metric === "error" && data.best.every((v) => v !== null) ? data.best : null;
  const top = Math.max(...values) * 1.08 || 1, low = Math.min(0, ...values);
  const y = (v) => (v - low) / (top - low);
  const scale = data.is_share ? 100 : 1;
  const end = points[points.length - 1], marked = data.events.filter((e) => MARKS[e.kind] && !isOfMembers(e));
  const ends = data.names.map((name, k) => `${name} ends at ${figure(end.values[k])} in its last window and ${figure(total(end, k))} over all rows`);
  chart(at("curve"), {
    label: `Learning curve, ${metric} over ${count(last)} rows: ${ends.join("; ")}. The table below has the figures.`,
    x, y, height: 320,
    xTicks, yTicks: ticks(low * scale, top * scale, 6).map((v) => v / scale),
    xText: short, yText: (v) => (data.is_share ? `${+(100 * v).toPrecision(4)} %` : plain(v)), xName: "rows",
    paint: (svg, px, py) => {
      for (const event of marked) {
        const place = px(event.row);
        const mark = draw("line", { class: MARKS[event.kind][0], x1: place, x2: place, y1: py(low), y2: py(top) });
        mark.append(draw("title", {}, `row ${count(event.row)}: ${described(event)}; ${event.why}`));
        svg.append(mark);
      }
      if (best) svg.append(draw("path", { class: "best", d: path(points.map((p, i) => [px(p.rows), py(best[i])])) }));
      const line = (k, kind, value) => {
        const known = points.filter((p) => value(p) !== null).map((p) => [px(p.rows), py(value(p))]);
        if (known.length === 1) svg.append(draw("circle", { class: "dot", cx: known[0][0], cy: known[0][1], r: 4 }));
        else if (known.length) svg.append(draw("path", { class: `${kind} line${Math.min(k, 3)}`, d: path(known) }));
      };
      for (let k = data.names.length - 1; k >= 0; k -= 1) {
        line(k, "total", (p) => total(p, k));
        line(k, "window", (p) => p.values[k]);
      }
    },
    hover: points.map((p) => ({
      x: p.rows, y: p.values[0] ?? low,
      text: `${count(p.rows)} rows: ${data.names.map((n, k) => `${n} ${figure(p.values[k])} (all ${figure(total(p, k))})`).join(", ")}`
        + (p.leaves === null ? "" : `, ${count(p.leaves)} leaves`),
    })),
  });
  const legend = make("div", { class: "legend" });
  data.names.forEach((name, k) => legend.append(make("span", { class: `l${Math.min(k, 3)}` }, make("i"), name)));
  legend.append(make("span", { class: "lw" }, make("i"), "window"), make("span", { class: "lt" }, make("i"), "cumulative"));
  if (best) legend.append(make("span", { class: "lb" }, make("i"), "best possible"));
  for (const [kind, [, mark]] of Object.entries(MARKS))
    if (marked.some((e) => e.kind === kind)) legend.append(make("span", { class: mark }, make("i"), WORDS[kind]));
  at("curve").prepend(legend);
}

function curveTable() {
  const titles = ["rows", "window", ...data.names.flatMap((name) => [`${name}, window`, `${name}, cumulative`]), "leaves"];
  const rows = data.points.map((p) => [count(p.rows), count(p.window),
    ...data.names.flatMap((_, k) => [figure(p.values[k]), figure(p.totals[k] ?? null)]), p.leaves === null ? "–" : count(p.leaves)]);
  const inside = wide("Learning curve as a table", table(`${metric}: over the window of each point, and over all rows so far`, titles, rows));
  at("curve-table").append(make("details", {}, make("summary", {}, "The same as a table"), inside));
}
