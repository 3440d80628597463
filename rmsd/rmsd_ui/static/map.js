"use strict";
// A map of the nodes: a cell for each, in the order of the table of nodes. It is drawn on a canvas,
// since ten thousand elements would be slow to make anew.
const NAME = 0, STATE = 1, USED = 2, CORES = 3, MEM_USED = 4, MEM = 5, GROUPS = 6, JOBS = 7, REASON = 8;
const LARGEST = 28, SMALLEST = 4, TALL = 420;
const IN_ORDER = ["idle", "mixed", "allocated"], WAITS = ["draining", "drained", "rebooting", "suspect"];

class NodeMap {
  constructor(root, data) {
    Object.assign(this, { root, chosen: -1, group: "", by: "use" });
    const tools = document.createElement("div");
    tools.className = "times";
    this.bySelect = this.select(tools, "colour ", (value) => { this.by = value; });
    for (const [value, text] of [["use", "processors in use"], ["memory", "memory in use"], ["state", "state"]])
      this.bySelect.add(new Option(text, value));
    this.groupSelect = this.select(tools, "nodes with ", (value) => { this.group = value; });
    this.canvas = document.createElement("canvas");
    this.canvas.className = "map";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.status = document.createElement("p");
    this.status.className = "about told";
    this.status.setAttribute("role", "status");
    root.replaceChildren(tools, this.canvas, this.status);
    this.listen();
    this.put(data);
    new ResizeObserver(() => this.draw()).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  select(tools, text, act) {
    const label = document.createElement("label"), made = document.createElement("select");
    label.textContent = text;
    made.addEventListener("change", () => { act(made.value); this.draw(); });
    label.append(made);
    tools.append(label);
    return made;
  }

  put(data) {
    const name = this.data?.nodes[this.chosen]?.[NAME];
    this.data = data;
    this.chosen = name === undefined ? -1 : data.nodes.findIndex((node) => node[NAME] === name);
    if (!data.groups.includes(this.group)) this.group = "";
    this.groupSelect.replaceChildren(new Option("anything", ""), ...data.groups.map((one) => new Option(one, one)));
    this.groupSelect.value = this.group;
    this.canvas.setAttribute("aria-label",
      `Map of ${data.nodes.length.toLocaleString()} nodes. Arrow keys choose a node, whose state is told below.`);
    this.draw();
    this.tell();
  }

  draw() {
    const { nodes, words } = this.data, css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(`--${name}`).trim();
    const width = Math.max(100, this.root.clientWidth), ratio = Math.min(2, devicePixelRatio || 1);
    this.size = Math.floor(Math.min(LARGEST, Math.max(SMALLEST, Math.sqrt((width * TALL) / Math.max(1, nodes.length)))));
    this.columns = Math.max(1, Math.floor(width / this.size));
    const height = Math.max(1, Math.ceil(nodes.length / this.columns)) * this.size + 2;
    this.cells ??= document.createElement("canvas");
    for (const canvas of [this.canvas, this.cells])
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    this.canvas.style.height = `${height}px`;
    const g = this.cells.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ratio = ratio;
    const [heat, good, bad, wait, line, text] = ["heat", "good", "bad", "wait", "line", "text"].map(colour);
    const group = this.group && words.indexOf(this.group), gap = this.size > 6 ? 2 : 1, side = this.size - gap;
    nodes.forEach((node, at) => {
      const [x, y] = this.corner(at), state = words[node[STATE]];
      const inOrder = IN_ORDER.includes(state), alarm = WAITS.includes(state) ? wait : bad;
      const dim = group !== "" && !node[GROUPS].includes(group) ? 0.15 : 1;
      g.globalAlpha = dim;
      g.fillStyle = line;
      g.fillRect(x, y, side, side);
      if (this.by === "state") {
        g.globalAlpha = dim * (state === "idle" ? 0.3 : 1);
        g.fillStyle = inOrder ? good : alarm;
      } else {
        const [used, all] = this.by === "use" ? [node[USED], node[CORES]] : [node[MEM_USED], node[MEM]];
        g.globalAlpha = dim * Math.min(1, used / Math.max(1, all));
        g.fillStyle = heat;
      }
      g.fillRect(x, y, side, side);
      if (inOrder || this.by === "state") return;
      g.globalAlpha = dim; // a node that is not in order is crossed, whatever it is coloured by
      g.strokeStyle = text;
      g.lineWidth = this.size > 10 ? 2 : 1;
      g.beginPath();
      g.moveTo(x, y); g.lineTo(x + side, y + side);
      if (alarm === bad) { g.moveTo(x + side, y); g.lineTo(x, y + side); }
      g.stroke();
    });
    this.ink = text;
    this.mark();
    Object.assign(this.canvas.dataset, { nodes: nodes.length, columns: this.columns });
  }

  // Shows the cells, and which of them is chosen.
  mark() {
    const g = this.canvas.getContext("2d"), [x, y] = this.corner(this.chosen);
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.cells, 0, 0);
    if (this.chosen < 0) return;
    const side = this.size - (this.size > 6 ? 2 : 1);
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.strokeStyle = this.ink;
    g.lineWidth = 2;
    g.strokeRect(x - 1, y - 1, side + 2, side + 2);
  }

  corner(at) { return [1 + (at % this.columns) * this.size, 1 + Math.floor(at / this.columns) * this.size]; }

  choose(at) {
    if (at === this.chosen || at < -1 || at >= this.data.nodes.length) return;
    this.chosen = at;
    this.mark();
    this.tell();
  }

  tell() {
    const node = this.data.nodes[this.chosen];
    if (!node) { this.status.textContent = ""; return; }
    const words = (numbers) => numbers.map((number) => this.data.words[number]).join(", ");
    const [jobs, count] = node[JOBS];
    this.status.textContent = [
      `${node[NAME]}: ${words([node[STATE]])}`, `${node[USED]} of ${node[CORES]} processors`,
      `${node[MEM_USED].toLocaleString()} of ${node[MEM].toLocaleString()} MiB`,
      ...(node[GROUPS].length ? [words(node[GROUPS])] : []),
      ...(count ? [`jobs ${jobs.join(", ")}${count > jobs.length ? ` and ${count - jobs.length} more` : ""}`] : []),
      ...(node[REASON] ? [node[REASON]] : []),
    ].join("; ");
  }

  listen() {
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const column = Math.floor((event.clientX - box.left) / this.size), row = Math.floor((event.clientY - box.top) / this.size);
      if (column < this.columns) this.choose(row * this.columns + column);
    });
    this.canvas.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns }[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.choose(this.chosen < 0 ? 0 : Math.max(0, this.chosen + by));
    });
  }
}

const mapData = () => JSON.parse(document.getElementById("map-data").textContent);
const map = new NodeMap(document.getElementById("map"), mapData());
document.getElementById("live").addEventListener("renewed", () => {
  if (document.getElementById("map-data")) map.put(mapData());
});
