"use strict";
// A Gantt chart of very many runs. Few are drawn as they are; many are summed up by pixel, so that
// what a pixel shows is the mean of what lies in it. packed.py says what the data are.

const KINDS = ["ended", "killed, to start anew", "runs; its end is predicted", "planned"];
const KILLED = 1, RUNNING = 2, PLANNED = 3;
const FEW = 6000; // blocks that are drawn one by one
const MANY = 40000; // blocks that are summed up anew for every frame
const CHUNK = 256; // blocks that are skipped at once
const TILES = 24; // kept of each panel
const AXIS = 22, GUTTER = 52;
const CATEGORIES = ["short, narrow (SN)", "short, wide (SW)", "long, narrow (LN)", "long, wide (LW)"];
const WAITS_S = [60, 600, 3600, 6 * 3600, 86400];
const WAIT_NAMES = ["under 1 min", "under 10 min", "under 1 h", "under 6 h", "under 1 d", "1 d or more"];
const WAIT_COLOURS = ["#2c7bb6", "#62a8c8", "#8fc08a", "#e0b440", "#e07a30", "#c2302e"];

// ---------------------------------------------------------------- data

async function unpacked(run) {
  const bytes = Uint8Array.from(atob(run.data), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const numbers = new Int32Array(await new Response(stream).arrayBuffer());
  let at = 0;
  const column = (length) => numbers.subarray(at, (at += length));
  const n = run.bars, m = run.pieces;
  const [id, submit, wait, length, size, user, estimate, kind, parts] =
    Array.from({ length: 9 }, () => column(n));
  const first = column(m), count = column(m);
  const start = new Int32Array(n), end = new Int32Array(n);
  for (let job = 0; job < n; job++) {
    if (job) submit[job] += submit[job - 1];
    start[job] = submit[job] + wait[job];
    end[job] = start[job] + length[job];
  }
  const owner = new Int32Array(m);
  for (let job = 0, piece = 0; job < n; job++)
    for (let k = 0; k < parts[job]; k++) owner[piece++] = job;
  const order = new Int32Array(m).map((_, piece) => piece)
    .sort((a, b) => start[owner[a]] - start[owner[b]] || a - b);
  const blocks = {
    owner: order.map((piece) => owner[piece]), first: order.map((piece) => first[piece]),
    count: order.map((piece) => count[piece]), start: order.map((piece) => start[owner[piece]]),
    end: order.map((piece) => end[owner[piece]]),
  };
  const latest = []; // by chunk
  for (let block = 0; block < m; block++) {
    const chunk = Math.floor(block / CHUNK);
    latest[chunk] = Math.max(latest[chunk] ?? -1, blocks.end[block]);
  }
  return { ...run, data: null, id, submit, start, end, size, user, estimate, kind, blocks, latest };
}

// The blocks between two instants: calls see(block) for each, in order of their starts.
function eachBlock(run, since, until, see) {
  const { start, end } = run.blocks, m = start.length;
  for (let chunk = 0; chunk < run.latest.length; chunk++) {
    const low = chunk * CHUNK;
    if (start[low] >= until) break;
    if (run.latest[chunk] <= since) continue;
    const high = Math.min(m, low + CHUNK);
    for (let block = low; block < high && start[block] < until; block++)
      if (end[block] > since) see(block);
  }
}

// ---------------------------------------------------------------- words

function lasting(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return `${+seconds.toFixed(3)} s`;
  const two = (n) => String(n).padStart(2, "0");
  const days = Math.floor(s / 86400);
  const clock = `${Math.floor(s / 3600) % 24}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return days ? `${days} d ${clock}` : `${clock} h`;
}

function instant(data, tick, exact) {
  const seconds = (data.origin_us + tick * data.tick_us) / 1e6;
  const two = (n) => String(Math.floor(n)).padStart(2, "0");
  if (data.calendar) {
    const d = new Date(seconds * 1000);
    const day = `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
    return `${day} ${two(d.getHours())}:${two(d.getMinutes())}` + (exact ? `:${two(d.getSeconds())}` : "");
  }
  const rest = ((seconds % 86400) + 86400) % 86400;
  const clock = `${two(rest / 3600)}:${two((rest / 60) % 60)}` + (exact ? `:${two(rest % 60)}` : "");
  return `day ${Math.floor(seconds / 86400)}, ${clock}`;
}

function day(data, tick) {
  return instant(data, tick).slice(0, -6).replace(/,$/, "");
}

function tickStep(spanS, most) {
  const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400];
  const found = steps.find((step) => spanS / step <= most);
  if (found) return found;
  let days = 1;
  while (spanS / (days * 86400) > most) days *= String(days)[0] === "2" ? 2.5 : 2;
  return Math.round(days) * 86400;
}

// ---------------------------------------------------------------- colours

function coloursOf(css) {
  const series = Array.from({ length: 8 }, (_, at) => css.getPropertyValue(`--series-${at}`).trim());
  const one = (name) => css.getPropertyValue(`--${name}`).trim();
  return { series, ink: one("ink"), faint: one("faint"), rule: one("rule"), ground: one("ground") };
}

function classifier(data, run, by) {
  const secondsOf = (ticks) => (ticks * data.tick_us) / 1e6;
  if (by === "kind")
    return (job) => (secondsOf(run.end[job] - run.start[job]) > 3600 ? 2 : 0) + (run.size[job] > 8 ? 1 : 0);
  if (by === "wait")
    return (job) => {
      const found = WAITS_S.findIndex((limit) => secondsOf(run.start[job] - run.submit[job]) < limit);
      return found < 0 ? WAITS_S.length : found;
    };
  return (job) => run.user[job] % 8;
}

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// ---------------------------------------------------------------- one panel

class Panel {
  constructor(chart, run, parent) {
    this.chart = chart;
    this.run = run;
    this.frames = 0;
    this.box = document.createElement("div");
    this.box.className = "gantt-panel";
    const title = document.createElement("h3");
    title.textContent = run.name;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label",
      `Gantt chart of ${run.name}: ${run.bars.toLocaleString()} runs on ${run.processors.toLocaleString()} processors. ` +
      "Arrow keys move, plus and minus zoom, 0 shows all.");
    this.over = document.createElement("canvas");
    this.over.className = "over";
    this.over.setAttribute("aria-hidden", "true");
    this.box.append(title, this.canvas, this.over);
    parent.append(this.box);
    this.classify();
  }

  classify() {
    const of = classifier(this.chart.data, this.run, this.chart.by);
    this.classes = Uint8Array.from({ length: this.run.bars }, (_, job) => of(job));
    this.tiles = new Map();
  }

  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.width = Math.max(200, this.box.clientWidth);
    this.gutter = this.run.lines.length ? Math.min(110, this.width / 4) : GUTTER;
    this.plotWidth = this.width - this.gutter;
    this.plotHeight = Math.max(120, Math.min(this.chart.tall, this.run.rows * 22));
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round((this.plotHeight + AXIS) * ratio);
      canvas.style.height = `${this.plotHeight + AXIS}px`;
    }
    this.over.style.width = `${this.width}px`;
    this.ratio = ratio;
    this.tiles.clear();
  }

  x(tick) {
    const { since, until } = this.chart.view;
    return this.gutter + ((tick - since) / (until - since)) * this.plotWidth;
  }

  y(row) { return (row / this.run.rows) * this.plotHeight; }

  draw() {
    const begun = performance.now();
    const g = this.canvas.getContext("2d");
    const { since, until } = this.chart.view;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.plotHeight + AXIS);
    clearTimeout(this.later);
    this.canvas.dataset.missing = 0;
    let blocks = 0;
    eachBlock(this.run, since, until, () => blocks++);
    const mode = blocks <= FEW ? "blocks" : blocks <= MANY ? "sums" : "tiles";
    if (mode === "blocks") this.drawBlocks(g);
    else if (mode === "sums") this.drawSums(g);
    else this.drawTiles(g);
    this.drawAxes(g);
    this.drawOver();
    this.frames += 1;
    Object.assign(this.canvas.dataset, {
      frames: this.frames, blocks, mode,
      ms: (performance.now() - begun).toFixed(1), since, until,
    });
  }

  drawBlocks(g) {
    const { blocks, kind } = this.run, colours = this.chart.palette;
    g.save();
    g.beginPath();
    g.rect(this.gutter, 0, this.plotWidth, this.plotHeight);
    g.clip();
    eachBlock(this.run, this.chart.view.since, this.chart.view.until, (block) => {
      const job = blocks.owner[block];
      const left = Math.max(this.gutter - 2, this.x(blocks.start[block]));
      const right = Math.min(this.width + 2, this.x(blocks.end[block]));
      const top = this.y(blocks.first[block]), height = this.y(blocks.count[block]);
      const gap = height > 6 ? 1 : 0, width = Math.max(0.7, right - left - (right - left > 4 ? 1 : 0));
      g.globalAlpha = kind[job] === PLANNED ? 0.4 : kind[job] === RUNNING ? 0.75 : 1;
      g.fillStyle = colours[this.classes[job]];
      g.fillRect(left, top, width, Math.max(0.5, height - gap));
      g.globalAlpha = 1;
      if (width > 4 && (kind[job] === PLANNED || kind[job] === KILLED)) {
        g.strokeStyle = kind[job] === KILLED ? this.chart.colours.ink : colours[this.classes[job]];
        g.setLineDash(kind[job] === KILLED ? [] : [3, 2]);
        if (kind[job] === KILLED) { // a cross: this run was lost
          g.beginPath();
          g.moveTo(left, top); g.lineTo(left + width, top + height - gap);
          g.moveTo(left + width, top); g.lineTo(left, top + height - gap);
          g.stroke();
        } else g.strokeRect(left + 0.5, top + 0.5, width - 1, Math.max(0.5, height - gap - 1));
        g.setLineDash([]);
      }
      if (height >= 13 && width > 40) this.label(g, job, left, width, top + height / 2);
    });
    g.restore();
  }

  label(g, job, left, width, middle) {
    const text = `${this.run.id[job]}`;
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    g.textAlign = "left";
    if (g.measureText(text).width + 8 > width) return;
    g.fillStyle = this.run.kind[job] === PLANNED ? this.chart.colours.ink : this.chart.colours.ground;
    g.fillText(text, Math.max(left, this.gutter) + 4, middle);
  }

  // Very many blocks are summed up by pixel once, in tiles: level n has 2^n of them, side by side.
  // A view is made of the two or three that it touches, at a level that is fine enough for it; until
  // they are made, of a coarser one.
  drawTiles(g) {
    const { whole, view } = this.chart, all = whole.until - whole.since;
    const level = Math.ceil(Math.log2(all / (view.until - view.since)) - 1e-9);
    const span = all / 2 ** level;
    const first = Math.max(0, Math.floor((view.since - whole.since) / span));
    const last = Math.min(2 ** level - 1, Math.floor((view.until - whole.since) / span));
    if (!this.tiles.has("0.0")) this.makeTile(0, 0);
    const missing = [];
    g.save();
    g.beginPath();
    g.rect(this.gutter, 0, this.plotWidth, this.plotHeight);
    g.clip();
    for (let index = first; index <= last; index++) {
      let up = 0; // levels
      while (!this.tiles.has(`${level - up}.${index >> up}`)) up++;
      if (up) missing.push(index);
      const tile = this.tiles.get(`${level - up}.${index >> up}`);
      const since = whole.since + index * span, part = tile.width / 2 ** up;
      const left = Math.round(this.x(since)), right = Math.round(this.x(since + span));
      const from = (index - ((index >> up) << up)) * part;
      g.drawImage(tile, from, 0, part, tile.height, left, 0, right - left, this.plotHeight);
    }
    g.restore();
    this.canvas.dataset.missing = missing.length;
    if (missing.length)
      this.later = setTimeout(() => { this.makeTile(level, missing[0]); this.chart.redraw(); });
  }

  makeTile(level, index) {
    const { whole } = this.chart, span = (whole.until - whole.since) / 2 ** level;
    const since = whole.since + index * span, old = [...this.tiles.keys()].find((key) => key !== "0.0");
    if (this.tiles.size >= TILES) this.tiles.delete(old);
    const tile = document.createElement("canvas");
    this.sumUp(since, since + span, tile);
    this.tiles.set(`${level}.${index}`, tile);
  }

  drawSums(g) {
    this.scratch ??= document.createElement("canvas");
    this.sumUp(this.chart.view.since, this.chart.view.until, this.scratch);
    g.drawImage(this.scratch, this.gutter, 0, this.plotWidth, this.plotHeight);
  }

  // Every block adds its share of each pixel: across by its width there, downwards by what begins
  // and what ends in a pixel, summed up afterwards. So a block costs the columns that it touches.
  sumUp(since, until, canvas) {
    const width = Math.floor(this.plotWidth), height = Math.floor(this.plotHeight), tall = height + 2;
    const size = 4 * width * tall;
    if (this.sums?.length !== size) this.sums = new Float32Array(size);
    const sums = this.sums.fill(0);
    const { blocks } = this.run, classes = this.classes;
    const colours = Float32Array.from(this.chart.palette.flatMap((colour) => [...rgb(colour), 1]));
    const perTick = width / (until - since), perRow = height / this.run.rows;
    eachBlock(this.run, since, until, (block) => {
      const left = Math.max(0, (blocks.start[block] - since) * perTick);
      const right = Math.min(width, (blocks.end[block] - since) * perTick);
      const top = blocks.first[block] * perRow, bottom = top + blocks.count[block] * perRow;
      const y0 = Math.floor(top), f0 = top - y0, y1 = Math.floor(bottom), f1 = bottom - y1;
      const colour = 4 * classes[blocks.owner[block]], last = Math.min(width - 1, Math.floor(right));
      for (let x = Math.floor(left); x <= last; x++) {
        const part = Math.min(right, x + 1) - Math.max(left, x);
        if (part <= 0) continue;
        const begin = 4 * (x * tall + y0), end = 4 * (x * tall + y1);
        for (let channel = 0; channel < 4; channel++) {
          const much = part * colours[colour + channel];
          sums[begin + channel] += much * (1 - f0);
          sums[begin + 4 + channel] += much * f0;
          sums[end + channel] -= much * (1 - f1);
          sums[end + 4 + channel] -= much * f1;
        }
      }
    });
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const g = canvas.getContext("2d"), image = g.createImageData(width, height), pixels = image.data;
    for (let x = 0; x < width; x++) {
      let red = 0, green = 0, blue = 0, held = 0;
      for (let y = 0, cell = 4 * x * tall; y < height; y++, cell += 4) {
        red += sums[cell]; green += sums[cell + 1]; blue += sums[cell + 2]; held += sums[cell + 3];
        if (held < 0.004) continue;
        const pixel = 4 * (y * width + x);
        pixels[pixel] = red / held; pixels[pixel + 1] = green / held; pixels[pixel + 2] = blue / held;
        pixels[pixel + 3] = 255 * held;
      }
    }
    g.putImageData(image, 0, 0);
  }

  drawAxes(g) {
    const { colours, data, view } = this.chart, perS = 1e6 / data.tick_us;
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = colours.faint;
    g.strokeStyle = colours.faint;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(this.gutter, this.plotHeight + 0.5);
    g.lineTo(this.width, this.plotHeight + 0.5);
    const span = (view.until - view.since) / perS;
    const most = (width) => Math.max(2, Math.floor(this.plotWidth / width));
    let step = tickStep(span, most(130));
    if (step >= 86400) step = Math.max(86400, tickStep(span, most(70))); // names of days are shorter
    let named = 0;
    const zone = data.calendar ? new Date(data.origin_us / 1000).getTimezoneOffset() * 60 : 0;
    const origin = data.origin_us / 1e6 - zone;
    g.textAlign = "center";
    g.textBaseline = "top";
    for (let s = Math.ceil((origin + view.since / perS) / step) * step; s <= origin + view.until / perS; s += step) {
      const x = this.x((s - origin) * perS);
      g.moveTo(x + 0.5, this.plotHeight);
      g.lineTo(x + 0.5, this.plotHeight + 4);
      const tick = (s - origin) * perS;
      const text = step < 86400 ? instant(data, tick, step < 60) : day(data, tick);
      const half = g.measureText(text).width / 2;
      if (x - half < 0 || x + half > this.width) continue;
      g.fillText(text, x, this.plotHeight + 6);
      named++;
    }
    this.canvas.dataset.named = named;
    g.stroke();
    g.textAlign = "right";
    if (this.run.lines.length) this.drawNodes(g);
    else this.drawRows(g);
  }

  drawRows(g) {
    const { rows, processors } = this.run;
    g.textBaseline = "top";
    g.fillText("0", this.gutter - 6, 1);
    g.textBaseline = "bottom";
    g.fillText(processors.toLocaleString(), this.gutter - 6, this.y(processors));
    g.save();
    g.translate(12, this.y(processors) / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillText("processors", 0, 0);
    g.restore();
    if (rows > processors) this.rule(g, processors);
  }

  drawNodes(g) {
    let below = -Infinity;
    g.textBaseline = "middle";
    for (const [name, first, end] of this.run.lines) {
      if (this.y(end - first) > 4) this.rule(g, first);
      const middle = Math.max(6, this.y((first + end) / 2));
      if (middle - below < 12) continue;
      below = middle;
      g.fillText(name.length > 15 ? `…${name.slice(-14)}` : name, this.gutter - 6, middle, this.gutter - 8);
    }
  }

  rule(g, row) {
    g.strokeStyle = this.chart.colours.rule;
    g.beginPath();
    g.moveTo(this.gutter, this.y(row));
    g.lineTo(this.width, this.y(row));
    g.stroke();
  }

  drawOver() {
    const g = this.over.getContext("2d"), { chart, run } = this;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.plotHeight + AXIS);
    g.strokeStyle = chart.colours.ink;
    if (run.now !== null && run.now >= chart.view.since && run.now <= chart.view.until) {
      const x = this.x(run.now);
      g.lineWidth = 1.5;
      g.beginPath();
      g.moveTo(x, 0);
      g.lineTo(x, this.plotHeight);
      g.stroke();
      g.font = "11px system-ui, sans-serif";
      g.fillStyle = chart.colours.ink;
      g.textBaseline = "top";
      g.textAlign = x > this.width - 40 ? "right" : "left";
      g.fillText("now", x + (x > this.width - 40 ? -4 : 4), 2);
    }
    if (chart.chosen === null) return;
    g.save();
    g.beginPath();
    g.rect(this.gutter, 0, this.plotWidth, this.plotHeight);
    g.clip();
    g.lineWidth = 2;
    eachBlock(run, chart.view.since, chart.view.until, (block) => {
      if (run.id[run.blocks.owner[block]] !== chart.chosen) return;
      const left = this.x(run.blocks.start[block]), right = this.x(run.blocks.end[block]);
      g.strokeRect(left - 1, this.y(run.blocks.first[block]), Math.max(3, right - left + 2), Math.max(2, this.y(run.blocks.count[block])));
    });
    g.restore();
  }

  // The position of the bar under a point of the canvas; -1 if there is none.
  at(x, y) {
    if (x < this.gutter || y > this.plotHeight) return -1;
    const { since, until } = this.chart.view, { blocks } = this.run;
    const perPixel = (until - since) / this.plotWidth, tick = since + (x - this.gutter) * perPixel;
    const row = (y / this.plotHeight) * this.run.rows;
    let found = -1, distance = Infinity;
    eachBlock(this.run, tick - 2 * perPixel, tick + 2 * perPixel, (block) => {
      if (row < blocks.first[block] || row >= blocks.first[block] + blocks.count[block]) return;
      const away = Math.max(0, blocks.start[block] - tick, tick - blocks.end[block]);
      if (away < distance) [found, distance] = [blocks.owner[block], away];
    });
    return found;
  }

  // The same of a job by its number, in one line; empty if it is not here.
  told(id) {
    const job = this.run.id.indexOf(id);
    return job < 0 ? "" : this.about(job).replaceAll("\n", ", ");
  }

  about(job) {
    const { run, chart } = this, { data } = chart, s = (ticks) => lasting((ticks * data.tick_us) / 1e6);
    const kind = run.kind[job];
    return [
      `job ${run.id[job]}, user ${data.users[run.user[job]]}`,
      `${run.size[job].toLocaleString()} processor${run.size[job] === 1 ? "" : "s"}, ${run.name}`,
      `submitted ${instant(data, run.submit[job], true)}`,
      `${kind === PLANNED ? "expected to start" : "started"} ${instant(data, run.start[job], true)}, after ${s(run.start[job] - run.submit[job])}`,
      `${kind === PLANNED || kind === RUNNING ? "expected to run" : "ran"} ${s(run.end[job] - run.start[job])}` +
        (run.estimate[job] < 0 ? "" : `, estimate ${s(run.estimate[job])}`),
      ...(kind ? [KINDS[kind]] : []),
    ].join("\n");
  }
}

// ---------------------------------------------------------------- the chart

class Chart {
  constructor(root, data, runs) {
    Object.assign(this, { root, data, by: data.by, chosen: null, found: "", tall: 420 });
    this.whole = { since: data.since, until: data.until };
    this.view = { ...this.whole };
    this.tools(runs);
    this.panels = [];
    this.place = document.createElement("div");
    this.key = document.createElement("div");
    this.key.className = "gantt-key";
    this.status = document.createElement("p");
    this.status.className = "gantt-status";
    this.status.setAttribute("role", "status");
    this.tip = document.createElement("div");
    this.tip.className = "gantt-tip";
    this.tip.hidden = true;
    root.append(this.place, this.key, this.status, this.tip);
    this.runs = runs;
    this.recolour();
    this.choose();
    new ResizeObserver(() => this.resize()).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour(true));
    const printing = (on) => { // a canvas does not see the colours of paper
      document.documentElement.classList.toggle("printing", on);
      this.recolour(true);
    };
    addEventListener("beforeprint", () => printing(true));
    addEventListener("afterprint", () => printing(false));
  }

  tools(runs) {
    const box = document.createElement("div");
    box.className = "gantt-tools";
    const button = (text, label, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.setAttribute("aria-label", label);
      made.addEventListener("click", act);
      box.append(made);
    };
    button("◀", "earlier", () => this.pan(-0.25));
    button("▶", "later", () => this.pan(0.25));
    button("+", "zoom in", () => this.zoom(0.5));
    button("−", "zoom out", () => this.zoom(2));
    button("all", "show all", () => this.show(this.whole.since, this.whole.until));
    const label = document.createElement("label");
    label.textContent = "colour ";
    const select = document.createElement("select");
    for (const [value, text] of [["user", "by user"], ["kind", "by length and width"], ["wait", "by wait"]])
      select.add(new Option(text, value, false, value === this.by));
    select.addEventListener("change", () => { this.by = select.value; this.recolour(true); });
    label.append(select);
    const find = document.createElement("label");
    find.textContent = "job ";
    const number = document.createElement("input");
    number.type = "number";
    number.addEventListener("change", () => {
      if (number.value) return this.find(Number(number.value));
      this.found = "";
      this.tell(number.validity.badInput ? "a job is found by its number" : "");
    });
    find.append(number);
    box.append(label, find);
    this.shown = runs.map((_, at) => at < 2);
    if (runs.length > 1) {
      const set = document.createElement("fieldset");
      const legend = document.createElement("legend");
      legend.textContent = "show";
      set.append(legend);
      runs.forEach((run, at) => {
        const one = document.createElement("label"), tick = document.createElement("input");
        tick.type = "checkbox";
        tick.checked = this.shown[at];
        tick.addEventListener("change", () => { this.shown[at] = tick.checked; this.choose(); });
        one.append(tick, ` ${run.name}`);
        set.append(one);
      });
      box.append(set);
    }
    this.root.append(box);
  }

  choose() {
    this.place.replaceChildren();
    this.panels = this.runs.filter((_, at) => this.shown[at]).map((run) => new Panel(this, run, this.place));
    for (const panel of this.panels) this.listen(panel);
    this.tall = this.panels.length > 1 ? 320 : 440;
    this.resize();
  }

  recolour(again = false) {
    this.colours = coloursOf(getComputedStyle(document.documentElement));
    this.palette = this.by === "wait" ? WAIT_COLOURS : this.colours.series;
    const names = this.by === "kind" ? CATEGORIES : this.by === "wait" ? WAIT_NAMES : [];
    this.key.replaceChildren(...names.map((name, at) => {
      const one = document.createElement("span"), patch = document.createElement("i");
      patch.style.background = this.palette[at];
      one.append(patch, name);
      return one;
    }));
    if (!again) return;
    for (const panel of this.panels) { panel.classify(); panel.draw(); }
  }

  resize() {
    for (const panel of this.panels) { panel.resize(); panel.draw(); }
    this.tell();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      for (const panel of this.panels) panel.draw();
      this.tell();
    });
  }

  tell(more = this.found) {
    const { since, until } = this.view;
    const span = lasting(((until - since) * this.data.tick_us) / 1e6);
    this.status.textContent =
      `${instant(this.data, since)} to ${instant(this.data, until)} (${span})` + (more && `; ${more}`);
  }

  show(since, until) {
    const least = Math.max(1, 2e6 / this.data.tick_us), all = this.whole.until - this.whole.since;
    const span = Math.min(all, Math.max(least, until - since)), middle = (since + until) / 2;
    const low = Math.min(this.whole.until - span, Math.max(this.whole.since, middle - span / 2));
    this.view = { since: low, until: low + span };
    this.redraw();
  }

  pan(part) {
    const { since, until } = this.view, by = part * (until - since);
    this.show(since + by, until + by);
  }

  zoom(factor, at = 0.5) {
    const { since, until } = this.view, fixed = since + at * (until - since);
    this.show(fixed - (fixed - since) * factor, fixed + (until - fixed) * factor);
  }

  find(id) {
    for (const { run } of this.panels) {
      const job = run.id.indexOf(id);
      if (job < 0) continue;
      this.chosen = id;
      const length = Math.max(run.end[job] - run.start[job], 60e6 / this.data.tick_us);
      this.show(run.start[job] - 2 * length, run.end[job] + 2 * length);
      this.found = this.panels.map((panel) => panel.told(id)).filter(Boolean).join("; ");
      return;
    }
    this.tell(`there is no job ${id}`);
  }

  hover(panel, event) {
    const box = panel.canvas.getBoundingClientRect();
    const job = panel.at(event.clientX - box.left, event.clientY - box.top);
    const id = job < 0 ? null : panel.run.id[job];
    if (id !== this.chosen) {
      this.chosen = id;
      for (const one of this.panels) one.drawOver();
    }
    this.tip.hidden = job < 0;
    if (job < 0) return;
    this.tip.textContent = panel.about(job);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const x = event.clientX + 14, y = event.clientY + 14;
    this.tip.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
    this.tip.style.top = `${y + height > innerHeight ? event.clientY - height - 10 : y}px`;
  }

  listen(panel) {
    const { canvas } = panel;
    const part = (event) => {
      const box = canvas.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - box.left - panel.gutter) / panel.plotWidth));
    };
    canvas.addEventListener("wheel", (event) => {
      const all = this.view.until - this.view.since >= this.whole.until - this.whole.since;
      if (all && event.deltaY > 0) return; // let the page scroll on
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX / panel.plotWidth);
      else this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), part(event));
    }, { passive: false });
    let dragged = null;
    canvas.addEventListener("pointerdown", (event) => {
      dragged = { x: event.clientX, ...this.view };
      canvas.setPointerCapture(event.pointerId);
      canvas.style.cursor = "grabbing";
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!dragged) return this.hover(panel, event);
      const by = ((dragged.x - event.clientX) / panel.plotWidth) * (dragged.until - dragged.since);
      this.show(dragged.since + by, dragged.until + by);
    });
    const drop = () => { dragged = null; canvas.style.cursor = ""; };
    canvas.addEventListener("pointerup", drop);
    canvas.addEventListener("pointercancel", drop);
    canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.chosen = null;
      for (const one of this.panels) one.drawOver();
    });
    canvas.addEventListener("keydown", (event) => {
      const acts = {
        ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1),
        PageUp: () => this.pan(-0.9), PageDown: () => this.pan(0.9),
        "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
        0: () => this.show(this.whole.since, this.whole.until),
        Home: () => this.show(this.whole.since, this.whole.since + this.view.until - this.view.since),
        End: () => this.show(this.whole.until - this.view.until + this.view.since, this.whole.until),
      };
      if (!acts[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      acts[event.key]();
    });
  }
}

async function begin() {
  const root = document.getElementById("gantt");
  const data = JSON.parse(document.getElementById("gantt-data").textContent);
  const runs = [];
  for (const run of data.runs) runs.push(await unpacked(run));
  data.runs = null;
  root.replaceChildren();
  new Chart(root, data, runs);
  root.dataset.ready = "true";
}

begin().catch((error) => {
  document.getElementById("gantt").textContent =
    `The Gantt chart cannot be drawn: ${error.message}. It needs a browser of 2023 or later.`;
  throw error;
});
