"use strict";
// A Gantt chart with a row for each job: a line for its wait, and a bar for each of its runs.

const MOST_ROWS = 2000; // drawn; the rest is told
const TALLEST = 22;

class JobPanel extends Panel {
  classify() {
    super.classify();
    const { start, id } = this.run;
    this.order = Array.from(id.keys()).sort((a, b) => start[a] - start[b] || a - b);
  }

  height() { return this.chart.tall; }

  // Finds the rows of the jobs that wait or run in the view: the bars of each, the first to start first.
  arrange() {
    const { since, until } = this.chart.view, { submit, end, id } = this.run;
    const rows = new Map();
    for (const job of this.order) {
      if (end[job] <= since || submit[job] >= until) continue;
      if (rows.has(id[job])) rows.get(id[job]).push(job);
      else rows.set(id[job], [job]);
    }
    this.jobs = [...rows.values()].slice(0, MOST_ROWS);
    this.beyond = rows.size - this.jobs.length;
    this.tall = Math.min(TALLEST, this.plotHeight / Math.max(1, this.jobs.length));
  }

  drawRuns(g) {
    this.arrange();
    const { submit, start, kind } = this.run;
    let bars = 0;
    this.clip(g);
    this.jobs.forEach((row, at) => {
      const top = at * this.tall, first = row[0], middle = Math.round(top + this.tall / 2) + 0.5;
      g.strokeStyle = this.chart.colours.faint;
      g.setLineDash(kind[first] === PLANNED ? [2, 3] : []);
      g.beginPath();
      g.moveTo(Math.max(this.gutter - 2, this.x(submit[first])), middle);
      g.lineTo(Math.min(this.width + 2, this.x(start[first])), middle);
      g.stroke();
      g.setLineDash([]);
      for (const job of row) this.bar(g, job, top, this.tall);
      bars += row.length;
    });
    g.restore();
    return ["jobs", bars];
  }

  nameRows(g) {
    if (this.tall < 11) {
      g.textBaseline = "top";
      g.fillText(`${(this.jobs.length + this.beyond).toLocaleString()} jobs`, this.gutter - 6, 2);
      if (!this.beyond) return;
      g.fillText(`${MOST_ROWS.toLocaleString()} drawn`, this.gutter - 6, 16);
      return;
    }
    g.textBaseline = "middle";
    this.jobs.forEach((row, at) => {
      const [number] = this.chart.titled(this.run.id[row[0]]);
      g.fillText(number, this.gutter - 6, (at + 0.5) * this.tall, this.gutter - 8);
    });
  }

  eachChosen(see) {
    const at = this.jobs.findIndex((row) => this.run.id[row[0]] === this.chart.chosen);
    if (at >= 0) for (const job of this.jobs[at]) see(job, at * this.tall, this.tall);
  }

  at(x, y) {
    if (x < this.gutter || y > this.plotHeight) return -1;
    const row = this.jobs[Math.floor(y / this.tall)];
    if (!row) return -1;
    const { since, until } = this.chart.view, { start, end } = this.run;
    const tick = since + ((x - this.gutter) / this.plotWidth) * (until - since);
    const away = (job) => Math.max(0, start[job] - tick, tick - end[job]);
    return row.reduce((best, job) => (away(job) < away(best) ? job : best));
  }

  beside(step) {
    const order = this.jobs.map((row) => this.run.id[row[0]]), at = order.indexOf(this.chart.chosen);
    if (!order.length) return null;
    return order[at < 0 ? (step > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + step))];
  }
}
