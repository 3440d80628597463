"use strict";
// Follows the daemon's events, and has the main part of the page made anew by the server when
// something that it shows may have changed: twice a second at most, and for a tenth of the time.
const PAUSE_MS = 500, RETRY_MS = 2000, SHARE = 9;
const live = document.getElementById("live"), link = document.getElementById("link");
let wanted = false, busy = false;

const nameOf = (one) => one.id || one.getAttribute("href");

async function refresh() {
  if ("still" in live.dataset) return; // what is typed there stays
  if (busy) { wanted = true; return; }
  busy = true;
  wanted = false;
  const begun = performance.now();
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    const main = made.getElementById("live");
    if (live.dataset.late === "whole" && main?.dataset.late !== "whole") { location.reload(); return; }
    if (answer.ok && main) {
      const at = live.contains(document.activeElement) && nameOf(document.activeElement);
      const scrolled = [...live.querySelectorAll(".wide")].map((one) => one.scrollLeft);
      live.replaceChildren(...main.childNodes);
      live.toggleAttribute("data-late", "late" in main.dataset);
      live.dispatchEvent(new Event("renewed"));
      live.querySelectorAll(".wide").forEach((one, number) => { one.scrollLeft = scrolled[number] ?? 0; });
      if (at) [...live.querySelectorAll("a, button")].find((one) => nameOf(one) === at)?.focus({ preventScroll: true });
    }
  } catch { /* the stream says when the daemon answers again */ }
  const took = performance.now() - begun;
  setTimeout(() => { busy = false; if (wanted || "late" in live.dataset) refresh(); }, Math.max(PAUSE_MS, SHARE * took));
}

function follow(first) {
  const source = new EventSource("/events");
  let fresh = first;
  source.addEventListener("open", () => { link.textContent = ""; });
  source.addEventListener("anew", () => { if (!fresh) refresh(); fresh = false; document.body.dataset.followed = "yes"; });
  source.addEventListener("jobs", (event) => {
    const job = Number(live.dataset.job ?? 0);
    if (!job || JSON.parse(event.data).jobs.some((one) => one.job_id === job)) refresh();
  });
  source.addEventListener("nodes", refresh);
  source.addEventListener("error", () => {
    link.textContent = "No news: the daemon does not answer";
    if (source.readyState === EventSource.CLOSED) setTimeout(() => follow(false), RETRY_MS);
  });
}
follow(false);
if ("late" in live.dataset) setTimeout(refresh, PAUSE_MS); // the server has not made all of it yet
const address = new URL(location);
if (address.searchParams.has("said")) { // its message was shown
  address.searchParams.delete("said");
  history.replaceState(null, "", address);
}
