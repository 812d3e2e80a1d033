// Charts with two axes, as SVG.
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

function chart(box, { label, x, y, height, xTicks, yTicks, xText, yText, xName, paint, hover }) {
  const width = Math.max(box.clientWidth, 240), left = 52, right = 14, top = 10, bottom = 38;
  const px = (v) => left + x(v) * (width - left - right), py = (v) => height - bottom - y(v) * (height - top - bottom);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label });
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
