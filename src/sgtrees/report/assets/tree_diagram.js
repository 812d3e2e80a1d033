// The tree as a diagram: boxes that unfold to the right, in a pane that scrolls, drags and zooms.
const BOX = { width: 214, height: 42, across: 260, down: 54, margin: 12 };
const MOST_CHILDREN = 12;
const ZOOMS = [0.35, 0.5, 0.7, 1, 1.4];

class TreeDiagram {
  constructor(pane) {
    this.pane = pane;
    this.zoom = 3;
    this.dragging();
    pane.addEventListener("keydown", (event) => this.key(event));
    pane.addEventListener("click", (event) => {
      const box = event.target.closest("[data-place]");
      if (box && !this.moved) this.toggle(Number(box.dataset.place));
    });
  }

  show(tree) {
    this.tree = tree;
    this.parents = new Map();
    tree.nodes.forEach((node, place) => node.children.forEach((child) => this.parents.set(child, place)));
    this.open = new Set();
    this.shown = new Map();
    this.hits = new Set();
    this.current = 0;
    this.unfold(2);
    const root = (this.places.get(0).y + BOX.margin + BOX.height / 2) * ZOOMS[this.zoom];
    this.pane.scrollTo(0, root - this.pane.clientHeight / 2);
  }

  // ---- what is open -------------------------------------------------------------------------------

  unfold(levels) {
    let front = [0];
    for (let level = 0; level < levels; level += 1) {
      front.forEach((place) => { if (this.tree.nodes[place].children.length) this.open.add(place); });
      front = front.flatMap((place) => this.children(place));
    }
    this.draw();
  }

  unfoldMore() {
    for (const place of this.visible) if (this.tree.nodes[place].children.length) this.open.add(place);
    this.draw();
  }

  fold() {
    this.open.clear();
    this.current = 0;
    this.draw();
  }

  children(place) {
    return this.tree.nodes[place].children.slice(0, this.shown.get(place) ?? MOST_CHILDREN);
  }

  toggle(place) {
    const node = this.tree.nodes[place];
    this.current = place;
    if (node.children.length) {
      if (!this.open.has(place)) this.open.add(place);
      else if (this.children(place).length < node.children.length) this.shown.set(place, this.children(place).length + MOST_CHILDREN);
      else { this.open.delete(place); this.shown.delete(place); }
    }
    this.draw();
    this.focus(place);
  }

  reveal(place) {
    for (let child = place, parent = this.parents.get(child); parent !== undefined; child = parent, parent = this.parents.get(child)) {
      this.open.add(parent);
      const order = this.tree.nodes[parent].children.indexOf(child);
      if (order >= this.children(parent).length) this.shown.set(parent, order + 1);
    }
    this.current = place;
    this.draw();
    this.bring(place);
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    const fits = (node) => node.condition.toLowerCase().includes(wanted) || node.value.toLowerCase().includes(wanted);
    this.hits = new Set(wanted ? this.tree.nodes.flatMap((node, place) => (fits(node) ? [place] : [])) : []);
    if (this.hits.size) this.reveal([...this.hits][0]);
    else this.draw();
    return this.hits.size;
  }

  next() {
    const hits = [...this.hits].sort((a, b) => a - b);
    if (!hits.length) return 0;
    const place = hits.find((hit) => hit > this.current) ?? hits[0];
    this.reveal(place);
    return hits.indexOf(place) + 1;
  }

  // ---- drawing ------------------------------------------------------------------------------------

  draw() {
    const places = new Map();
    this.visible = [];
    let free = 0;
    const lay = (place, depth) => {
      this.visible.push(place);
      const below = this.open.has(place) ? this.children(place).map((child) => lay(child, depth + 1)) : [];
      const y = below.length ? (below[0] + below[below.length - 1]) / 2 : free;
      if (!below.length) free += BOX.down;
      places.set(place, { x: depth * BOX.across, y, depth });
      return y;
    };
    lay(0, 0);
    this.places = places;
    const width = Math.max(...[...places.values()].map((p) => p.x)) + BOX.width + 2 * BOX.margin + 34;
    const height = free - BOX.down + BOX.height + 2 * BOX.margin;
    const scale = ZOOMS[this.zoom];
    const svg = draw("svg", {
      viewBox: `${-BOX.margin} ${-BOX.margin} ${width} ${height}`, width: width * scale, height: height * scale,
      role: "tree", "aria-label": `Tree: ${this.tree.title}`,
    });
    svg.style.width = `${width * scale}px`;
    const edges = draw("g", { "aria-hidden": "true" });
    svg.append(edges);
    for (const place of this.visible) {
      const parent = this.parents.get(place);
      if (parent !== undefined) edges.append(this.edge(places.get(parent), places.get(place), this.tree.nodes[place].share));
      svg.append(this.box(place, places.get(place)));
    }
    this.pane.replaceChildren(svg);
  }

  edge(from, to, part) {
    const x0 = from.x + BOX.width, y0 = from.y + BOX.height / 2, x1 = to.x, y1 = to.y + BOX.height / 2, half = (x0 + x1) / 2;
    return draw("path", { class: "edge", d: `M${x0} ${y0}C${half} ${y0} ${half} ${y1} ${x1} ${y1}`, "stroke-width": (1 + 7 * part).toFixed(1) });
  }

  box(place, { x, y, depth }) {
    const node = this.tree.nodes[place], isOpen = this.open.has(place), hidden = node.children.length - this.children(place).length;
    const says = `${node.condition}: ${node.value}, ${share(node.share)} of rows`;
    const attributes = {
      class: `box${this.hits.has(place) ? " hit" : ""}`, "data-place": place, role: "treeitem", "aria-level": depth + 1,
      tabindex: place === this.current ? "0" : "-1", "aria-selected": place === this.current ? "true" : "false",
      transform: `translate(${x} ${y})`,
    };
    if (node.children.length) attributes["aria-expanded"] = isOpen ? "true" : "false";
    const group = draw("g", attributes);
    const frame = draw("rect", { width: BOX.width, height: BOX.height, rx: 6 });
    frame.style.setProperty("--tone", `color-mix(in srgb, var(--high) ${(100 * node.tone).toFixed(0)}%, var(--low))`);
    frame.append(draw("title", {}, node.feature === null ? says : `${says}; next: ${node.feature}`));
    group.append(frame, draw("text", { class: "condition", x: 9, y: 17 }, clipped(node.condition, 31)),
      draw("text", { class: "value", x: 9, y: 34 }, `${clipped(node.value, 22)} · ${share(node.share)}`));
    const more = !node.children.length ? (node.more ? `+${short(node.more)}` : "")
      : !isOpen ? `▸ ${short(node.children.length)}` : hidden > 0 ? `+${short(hidden)}` : "▾";
    group.append(draw("text", { class: "fold", x: BOX.width - 7, y: 34, "text-anchor": "end", "aria-hidden": "true" }, more));
    return group;
  }

  // ---- moving -------------------------------------------------------------------------------------

  focus(place) {
    this.pane.querySelector(`[data-place="${place}"]`)?.focus({ preventScroll: true });
    this.bring(place);
  }

  bring(place) {
    const where = this.places.get(place), scale = ZOOMS[this.zoom], { clientWidth, clientHeight } = this.pane;
    if (!where) return;
    const left = (where.x + BOX.margin) * scale, top = (where.y + BOX.margin) * scale;
    const inside = left >= this.pane.scrollLeft && left + BOX.width * scale <= this.pane.scrollLeft + clientWidth
      && top >= this.pane.scrollTop && top + BOX.height * scale <= this.pane.scrollTop + clientHeight;
    if (!inside) this.pane.scrollTo(left - clientWidth / 3, top - clientHeight / 2);
  }

  zoomBy(step) {
    this.zoom = Math.min(Math.max(this.zoom + step, 0), ZOOMS.length - 1);
    this.draw();
    this.bring(this.current);
  }

  move(place) {
    if (place === undefined) return;
    this.current = place;
    this.draw();
    this.focus(place);
  }

  key(event) {
    if (!event.target.closest("[data-place]")) return;
    const place = this.current, node = this.tree.nodes[place], order = this.visible.indexOf(place);
    const isOpen = this.open.has(place);
    const act = {
      ArrowDown: () => this.move(this.visible[order + 1]),
      ArrowUp: () => this.move(this.visible[order - 1]),
      ArrowRight: () => (node.children.length && !isOpen ? this.toggle(place) : this.move(isOpen ? node.children[0] : undefined)),
      ArrowLeft: () => { if (isOpen) { this.open.delete(place); this.move(place); } else this.move(this.parents.get(place)); },
      Home: () => this.move(0),
      End: () => this.move(this.visible[this.visible.length - 1]),
      Enter: () => this.toggle(place),
      " ": () => this.toggle(place),
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  }

  dragging() {
    let from = null;
    this.pane.addEventListener("pointerdown", (event) => {
      this.moved = false;
      if (event.pointerType === "mouse" && event.button === 0) from = { x: event.clientX, y: event.clientY, left: this.pane.scrollLeft, top: this.pane.scrollTop };
    });
    window.addEventListener("pointermove", (event) => {
      if (!from) return;
      const dx = event.clientX - from.x, dy = event.clientY - from.y;
      if (Math.abs(dx) + Math.abs(dy) > 4) this.moved = true;
      this.pane.scrollTo(from.left - dx, from.top - dy);
    });
    window.addEventListener("pointerup", () => { from = null; });
    this.pane.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoomBy(event.deltaY < 0 ? 1 : -1);
    }, { passive: false });
  }
}

// From the middle: a condition begins with its feature and ends with the boundary.
const clipped = (text, most) => (text.length > most ? `${text.slice(0, most - 15)}…${text.slice(-14)}` : text);
