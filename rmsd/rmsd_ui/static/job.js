"use strict";
// Follows the output of a job, and what it uses, while its page is looked at. Outputs are text from
// any job: they become text nodes, and nothing else.
{
  const PART = 65536, MOST_SHOWN = 4 * PART, MOST_FULL = 16;
  const FULL_MS = 250, QUIET_MS = 1000, LATER_MS = 2000, USE_MS = 5000, GONE = [400, 403, 404];
  const live = document.getElementById("live"), use = document.getElementById("use");
  const after = (ms) => new Promise((done) => setTimeout(done, ms));
  const runs = () => live.querySelector("[data-runs]") !== null;
  const parsed = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");

  class Output {
    constructor(details) {
      this.details = details;
      this.text = details.querySelector("pre");
      this.note = details.querySelector(".note");
      this.offset = null; // the end of what is shown; null: begin near the end of the output
      this.attempt = "";
      this.full = 0; // full parts in a row: the job may write faster than a page shows
      this.busy = this.over = false;
      details.addEventListener("toggle", () => this.look());
    }

    look() {
      if (this.details.open && !document.hidden) this.follow();
      else this.asked?.abort();
    }

    async follow() {
      if (this.busy) return;
      this.busy = true;
      while (this.details.open && !document.hidden && !this.over) {
        const begun = Date.now();
        try {
          const count = await this.read();
          if (count === PART) await after(FULL_MS);
          else if (!count && Date.now() - begun < QUIET_MS) await after(QUIET_MS);
        } catch (error) {
          if (error.name === "AbortError") continue; // it is not looked at
          this.note.textContent = error.told ?? "The daemon does not answer.";
          this.over = GONE.includes(error.status);
          await after(LATER_MS);
        }
      }
      this.busy = false;
    }

    async read() {
      this.asked = new AbortController();
      const from = this.offset === null ? "" : `&offset=${this.offset}&attempt=${this.attempt}`;
      const answer = await fetch(this.details.dataset.from + from, { cache: "no-store", signal: this.asked.signal });
      if (!answer.ok) {
        const told = (await parsed(answer)).querySelector("main p")?.textContent;
        throw Object.assign(new Error(), { status: answer.status, told });
      }
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const [end, attempt, eof] = ["Offset", "Attempt", "EOF"].map((name) => answer.headers.get(`X-RMS-${name}`));
      if (this.offset === null || attempt !== this.attempt) this.begin(Number(end) - bytes.length);
      this.offset = Number(end);
      this.attempt = attempt;
      this.add(bytes);
      this.over = eof === "1";
      this.note.textContent = this.over ? "The job is over." : attempt === "0" ? "The job has not started." : "";
      this.full = bytes.length === PART ? this.full + 1 : 0;
      if (this.full > MOST_FULL) {
        this.full = 0;
        this.offset = null;
      }
      return bytes.length;
    }

    begin(leftOut) {
      this.text.replaceChildren(leftOut ? `... ${leftOut} bytes are left out ...\n` : "");
      this.decoder = new TextDecoder();
      this.skips = leftOut > 0; // the part may begin inside a character
    }

    add(bytes) {
      let first = 0;
      while (this.skips && first < 3 && (bytes[first] & 0xc0) === 0x80) first += 1;
      if (bytes.length) this.skips = false;
      const text = this.decoder.decode(bytes.subarray(first), { stream: true })
        .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, "").replace(/\r+\n?/g, "\n");
      if (!text) return;
      const pre = this.text, isAtEnd = pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 8;
      if (pre.lastChild && pre.lastChild.length < PART) pre.lastChild.appendData(text);
      else pre.append(text);
      while (pre.textContent.length > MOST_SHOWN) pre.firstChild.remove();
      if (isAtEnd) pre.scrollTop = pre.scrollHeight;
    }
  }

  async function showUse() {
    use.hidden = !runs();
    if (use.hidden || document.hidden) return;
    try {
      const made = await parsed(await fetch(use.dataset.from, { cache: "no-store" }));
      const found = made.getElementById("used") ?? made.querySelector("main p");
      if (found) use.replaceChildren(found);
    } catch { /* the stream of events says when the daemon answers again */ }
  }

  async function followUse() {
    for (;;) {
      await showUse();
      await after(USE_MS);
    }
  }

  const outputs = [...document.querySelectorAll("details")].map((one) => new Output(one));
  const lookAtAll = () => outputs.forEach((one) => one.look());
  document.addEventListener("visibilitychange", lookAtAll);
  live.addEventListener("renewed", () => {
    use.hidden = !runs();
    const state = live.querySelector(".state").innerText;
    if (runs() || state === "PENDING") for (const one of outputs) one.over = false;
    lookAtAll();
  });
  lookAtAll();
  followUse();
}
