"use strict";
// ---------------------------------------------------------------- the chart

class Chart {
  constructor(root, data, runs) {
    Object.assign(this, { root, data, by: data.by, rows: "place", chosen: null, found: "", tall: 420 });
    this.hue(data);
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
    const order = document.createElement("label"), rows = document.createElement("select");
    order.textContent = "rows ";
    rows.add(new Option(runs.some((run) => run.lines.length) ? "by node" : "by processor", "place", true, true));
    rows.add(new Option("by job", "job"));
    rows.addEventListener("change", () => { this.rows = rows.value; this.choose(); });
    order.append(rows);
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
    box.append(order, label, find);
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

  // Gives each user a hue, which the user keeps.
  hue(data) {
    data.hues = this.data.hues ?? new Map();
    for (const user of data.users) if (!data.hues.has(user)) data.hues.set(user, data.hues.size);
  }

  // Returns the number of a job as people know it, and its name if that is known.
  titled(id) { return this.data.titles?.[id] ?? [`${id}`, ""]; }

  // Shows what has become of the runs since. The window stays where it is, unless it is the whole.
  update(data, runs) {
    const { whole, view, data: old } = this;
    const all = view.since <= whole.since && view.until >= whole.until;
    const moved = (tick) => (old.origin_us + tick * old.tick_us - data.origin_us) / data.tick_us;
    this.hue(data);
    const since = moved(view.since), until = moved(view.until);
    Object.assign(this, { data, runs, found: "" });
    this.whole = { since: data.since, until: data.until };
    this.view = { ...this.whole };
    this.panels.forEach((panel, at) => panel.put(runs[at]));
    this.recolour(true);
    if (!all) this.show(since, until);
    this.resize();
  }

  choose() {
    this.place.replaceChildren();
    const Kind = this.rows === "job" ? JobPanel : Panel;
    this.panels = this.runs.filter((_, at) => this.shown[at]).map((run) => new Kind(this, run, this.place));
    for (const panel of this.panels) this.listen(panel);
    this.tall = this.panels.length > 1 ? 320 : 440;
    this.resize();
  }

  recolour(again = false) {
    this.colours = coloursOf(getComputedStyle(document.documentElement));
    this.palette = this.by === "wait" ? WAIT_COLOURS : this.colours.series;
    const users = this.data.hues.size <= 8 ? [...this.data.hues.keys()] : []; // beyond, hues repeat
    const names = { kind: CATEGORIES, wait: WAIT_NAMES, user: users }[this.by];
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

  under(panel, event) {
    const box = panel.canvas.getBoundingClientRect();
    return panel.at(event.clientX - box.left, event.clientY - box.top);
  }

  // Opens the page of a job. A finger has no way to ask first: it opens what it has chosen before.
  open(panel, event) {
    const job = this.under(panel, event);
    if (job < 0 || !this.data.links) return;
    const id = panel.run.id[job];
    if (event.pointerType === "mouse" || this.chosen === id) location.assign(this.data.links + id);
    else this.hover(panel, event);
  }

  step(panel, by) {
    const id = panel.beside(by);
    this.chosen = id;
    this.found = id === null ? "no job is in view" : panel.told(id);
    this.tell();
    for (const one of this.panels) one.drawOver();
  }

  hover(panel, event) {
    const job = this.under(panel, event);
    const id = job < 0 ? null : panel.run.id[job];
    panel.canvas.style.cursor = id !== null && this.data.links ? "pointer" : "";
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
    canvas.addEventListener("pointerup", (event) => {
      const still = dragged && Math.abs(event.clientX - dragged.x) < 4;
      drop();
      if (still) this.open(panel, event);
    });
    canvas.addEventListener("pointercancel", drop);
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return; // each lift of a finger leaves
      this.tip.hidden = true;
      this.chosen = null;
      for (const one of this.panels) one.drawOver();
    });
    canvas.addEventListener("keydown", (event) => {
      const acts = {
        ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1),
        ArrowUp: () => this.step(panel, -1), ArrowDown: () => this.step(panel, 1),
        Enter: () => { if (this.chosen !== null && this.data.links) location.assign(this.data.links + this.chosen); },
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

// Returns what the page has now, and its runs.
async function read() {
  const data = JSON.parse(document.getElementById("gantt-data").textContent);
  const runs = [];
  for (const run of data.runs) runs.push(await unpacked(run));
  data.runs = null;
  return [data, runs];
}

// Follows a page that is made anew while it is open, and the time of its daemon meanwhile.
function followPage(chart, live) {
  let latest = 0, read_ms = performance.now(), now = chart.runs[0].now;
  live.addEventListener("renewed", async () => {
    if (!document.getElementById("gantt-data")) return;
    const mine = ++latest, [data, runs] = await read();
    if (mine !== latest) return; // a newer one was begun meanwhile
    [read_ms, now] = [performance.now(), runs[0].now];
    chart.update(data, runs);
  });
  setInterval(() => {
    const { rate, tick_us } = chart.data;
    chart.runs[0].now = now + ((performance.now() - read_ms) * 1000 * rate) / tick_us;
    for (const panel of chart.panels) panel.drawOver();
  }, 1000);
}

async function begin() {
  const root = document.getElementById("gantt"), live = document.getElementById("live");
  const [data, runs] = await read();
  root.replaceChildren();
  const chart = new Chart(root, data, runs);
  if (live) followPage(chart, live);
  root.dataset.ready = "true";
}

begin().catch((error) => {
  document.getElementById("gantt").textContent =
    `The Gantt chart cannot be drawn: ${error.message}. It needs a browser of 2023 or later.`;
  throw error;
});
