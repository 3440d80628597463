"use strict";
// A Gantt chart of very many runs. Few are drawn as they are; many are summed up by pixel, so that
// what a pixel shows is the mean of what lies in it. packed.py says what the data are.

const KINDS = ["ended", "ended, to run again", "runs; its end is predicted", "planned"];
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
  return (job) => data.hues.get(data.users[run.user[job]]) % 8;
}

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// ---------------------------------------------------------------- one panel

class Panel {
  constructor(chart, run, parent) {
    this.chart = chart;
    this.frames = 0;
    this.box = document.createElement("div");
    this.box.className = "gantt-panel";
    const title = document.createElement("h3");
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.title = title;
    this.over = document.createElement("canvas");
    this.over.className = "over";
    this.over.setAttribute("aria-hidden", "true");
    this.box.append(title, this.canvas, this.over);
    parent.append(this.box);
    this.put(run);
  }

  // Shows a run, or what has become of it since.
  put(run) {
    this.run = run;
    this.title.textContent = run.name;
    this.canvas.setAttribute("aria-label",
      `Gantt chart of ${run.name}: ${run.bars.toLocaleString()} runs on ${run.processors.toLocaleString()} processors. ` +
      "Left and right move, up and down choose a job, plus and minus zoom, 0 shows all" +
      (this.chart.data.links ? ", Enter opens the page of the job." : "."));
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
    this.plotHeight = this.height();
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round((this.plotHeight + AXIS) * ratio);
      canvas.style.height = `${this.plotHeight + AXIS}px`;
    }
    this.over.style.width = `${this.width}px`;
    this.ratio = ratio;
    this.tiles.clear();
  }

  height() { return Math.max(120, Math.min(this.chart.tall, this.run.rows * 22)); }

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
    const [mode, blocks] = this.drawRuns(g);
    this.drawAxes(g);
    this.drawOver();
    this.frames += 1;
    Object.assign(this.canvas.dataset, {
      frames: this.frames, blocks, mode,
      ms: (performance.now() - begun).toFixed(1), since, until,
    });
  }

  // Returns how the runs were drawn, and how many blocks they have.
  drawRuns(g) {
    const { since, until } = this.chart.view;
    let blocks = 0;
    eachBlock(this.run, since, until, () => blocks++);
    const mode = blocks <= FEW ? "blocks" : blocks <= MANY ? "sums" : "tiles";
    if (mode === "blocks") this.drawBlocks(g);
    else if (mode === "sums") this.drawSums(g);
    else this.drawTiles(g);
    this.drawReservations(g);
    return [mode, blocks];
  }

  clip(g) {
    g.save();
    g.beginPath();
    g.rect(this.gutter, 0, this.plotWidth, this.plotHeight);
    g.clip();
  }

  // Advance reservations are hatched, so that the runs inside are seen.
  drawReservations(g) {
    const { since, until } = this.chart.view;
    let shown = 0;
    for (const [name, start, end, place] of this.run.reservations) {
      const rows = this.run.places[place];
      if (end <= since || start >= until) continue;
      shown++;
      const left = Math.max(this.gutter - 2, this.x(start)), right = Math.min(this.width + 2, this.x(end));
      for (const [first, count] of rows) {
        const top = this.y(first), height = this.y(count);
        this.clip(g);
        g.beginPath();
        g.rect(left, top, right - left, height);
        g.clip();
        g.strokeStyle = this.chart.colours.ink;
        g.globalAlpha = 0.35;
        g.beginPath();
        for (let x = left - height; x < right; x += 8) { g.moveTo(x, top + height); g.lineTo(x + height, top); }
        g.stroke();
        g.globalAlpha = 1;
        g.strokeRect(left + 0.5, top + 0.5, right - left - 1, height - 1);
        g.restore();
      }
      if (!rows.length) continue;
      const top = this.y(rows[0][0]), height = this.y(rows[0][1]);
      this.clip(g);
      g.font = "11px system-ui, sans-serif";
      g.textBaseline = "middle";
      g.textAlign = "left";
      const wide = g.measureText(name).width;
      if (height >= 13 && wide + 12 < right - Math.max(left, this.gutter)) {
        const x = Math.max(left, this.gutter) + 4;
        g.fillStyle = this.chart.colours.ground;
        g.fillRect(x, top + height / 2 - 7, wide + 6, 14);
        g.fillStyle = this.chart.colours.ink;
        g.fillText(name, x + 3, top + height / 2);
      }
      g.restore();
    }
    this.canvas.dataset.reserved = shown;
  }

  drawBlocks(g) {
    const { blocks } = this.run;
    this.clip(g);
    eachBlock(this.run, this.chart.view.since, this.chart.view.until, (block) => {
      this.bar(g, blocks.owner[block], this.y(blocks.first[block]), this.y(blocks.count[block]));
    });
    g.restore();
  }

  bar(g, job, top, height) {
    const { start, end, kind } = this.run, colour = this.chart.palette[this.classes[job]];
    const left = Math.max(this.gutter - 2, this.x(start[job])), right = Math.min(this.width + 2, this.x(end[job]));
    const gap = height > 6 ? 1 : 0, width = Math.max(0.7, right - left - (right - left > 4 ? 1 : 0));
    g.globalAlpha = kind[job] === PLANNED ? 0.4 : kind[job] === RUNNING ? 0.75 : 1;
    g.fillStyle = colour;
    g.fillRect(left, top, width, Math.max(0.5, height - gap));
    g.globalAlpha = 1;
    if (width > 4 && (kind[job] === PLANNED || kind[job] === KILLED)) {
      g.strokeStyle = kind[job] === KILLED ? this.chart.colours.ink : colour;
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
  }

  label(g, job, left, width, middle) {
    const text = this.chart.titled(this.run.id[job])[0];
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
    this.clip(g);
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
    this.nameRows(g);
  }

  nameRows(g) {
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
    this.clip(g);
    g.lineWidth = 2;
    this.eachChosen((job, top, height) => {
      const left = this.x(run.start[job]), right = this.x(run.end[job]);
      g.strokeRect(left - 1, top, Math.max(3, right - left + 2), Math.max(2, height));
    });
    g.restore();
  }

  // Calls see(bar, top, height) for each part of the chosen job's runs.
  eachChosen(see) {
    const { view, chosen } = this.chart, { blocks, id } = this.run;
    eachBlock(this.run, view.since, view.until, (block) => {
      if (id[blocks.owner[block]] === chosen)
        see(blocks.owner[block], this.y(blocks.first[block]), this.y(blocks.count[block]));
    });
  }

  // The number of the job that starts next after the chosen one, or before it, of those in view;
  // null if there is none.
  beside(step) {
    const { view, chosen } = this.chart, { start, end, id } = this.run;
    const seen = Array.from(id.keys()).filter((job) => end[job] > view.since && start[job] < view.until)
      .sort((a, b) => start[a] - start[b] || a - b);
    const order = [...new Set(seen.map((job) => id[job]))], at = order.indexOf(chosen);
    if (!order.length) return null;
    return order[at < 0 ? (step > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + step))];
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
    const [number, name] = chart.titled(run.id[job]);
    return [
      `job ${number}, user ${data.users[run.user[job]]}`,
      ...(name ? [name] : []),
      `${run.size[job].toLocaleString()} processor${run.size[job] === 1 ? "" : "s"}, ${run.name}`,
      `submitted ${instant(data, run.submit[job], true)}`,
      `${kind === PLANNED ? "expected to start" : "started"} ${instant(data, run.start[job], true)}, after ${s(run.start[job] - run.submit[job])}`,
      `${kind === PLANNED || kind === RUNNING ? "expected to run" : "ran"} ${s(run.end[job] - run.start[job])}` +
        (run.estimate[job] < 0 ? "" : `, estimate ${s(run.estimate[job])}`),
      ...(kind ? [KINDS[kind]] : []),
    ].join("\n");
  }
}
