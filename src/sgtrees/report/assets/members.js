// The members of an ensemble: at which rows each of them was replaced or begun anew, below the learning curve.
function members() {
  const box = at("members"), events = data.events.filter(isOfMembers), n = data.members.length;
  const replaced = events.filter((e) => e.kind === "replaced"), alarms = events.filter((e) => e.kind === "alarm");
  if (n === 0) { box.hidden = true; return; }
  if (replaced.length + alarms.length === 0) {
    box.replaceChildren(make("p", { class: "note" }, `No member was ${data.replaced}.`));
    return;
  }
  const { x, ticks: xTicks } = rowAxis(), height = Math.min(Math.max(80 + 12 * n, 110), 300);
  const named = data.members[0].startsWith("member ");
  const changed = new Set(replaced.map((e) => e.member)).size;
  const words = `${count(changed)} of ${count(n)} members ${data.replaced}, ${replaced.length === 1 ? "once" : `${count(replaced.length)} times in all`}`;
  const dots = (svg, px, py, some, kind, radius) => {
    for (const event of some) {
      const dot = draw("circle", { class: kind, cx: px(event.row), cy: py(event.member), r: radius });
      dot.append(draw("title", {}, `row ${count(event.row)}: ${described(event)}; ${event.why}`));
      svg.append(dot);
    }
  };
  chart(box, {
    label: `Members over the rows: ${words}. The moments of change below have the rows.`,
    x, y: (m) => (n - 0.5 - m) / n, height, xTicks, yTicks: thin(data.members.map((_, m) => m), named ? Math.floor((height - 48) / 18) : n),
    xText: short, yText: (m) => (named ? `${m + 1}` : data.members[m].split(" ")[0]), xName: "rows",
    paint: (svg, px, py) => {
      if (named) svg.append(draw("text", { x: 44, y: height - 4, "text-anchor": "end" }, "member"));
      dots(svg, px, py, alarms, "warned", 2.5);
      dots(svg, px, py, replaced, "anew", 4.5);
    },
  });
  const legend = make("div", { class: "legend" }, make("span", {}, make("b", {}, words)));
  legend.append(make("span", { class: "lm" }, make("i"), data.replaced));
  if (alarms.length) legend.append(make("span", { class: "lr" }, make("i"), "errors rose"));
  box.prepend(legend);
}
