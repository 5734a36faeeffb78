// Keeps what is known of the machine up to date while somebody looks, and old when not.
import { ask, slug } from "./api.js";
import * as store from "./store.js";

const FRESH_MS = 30000;
const GAP_MS = 8000;
const SETTLE_MS = 80;
const QUICK_MS = 4000;
const CALM_MS = 10000;
const NOISE_MS = [1000, 2000, 4000, 8000];
// A request that is begun on return can fail at once on iOS: the first wait is short.
const SILENT_MS = [1500, 3000, 6000, 10000];
const MOVING = new Set(["starting", "loading", "stopping", "waiting_for_capacity"]);

// `changed(known)` is called whenever any of it is another:
//   status, at     the last good answer and when it came, by this phone's clock
//   offset         the switch's clock minus this phone's, in ms
//   fresh          whether it may still be taken for the present
//   link           looking, ok, silent, noise, problem, or refused (the token)
//   troubled       since when there was no good answer, else null
//   problem        the switch's own problem document, else null
export function watch(changed) {
  const kept = store.lastKnown();
  const known = {
    status: kept?.status ?? null,
    at: kept?.at ?? 0,
    offset: 0,
    fresh: false,
    link: "looking",
    troubled: null,
    problem: null,
  };
  let [request, latest, timer, tries, ticked] = [null, 0, null, 0, Date.now()];
  let machine = null;

  async function look() {
    clearTimeout(timer);
    if (document.hidden || !store.token() || known.link === "refused") return;
    request?.abort();
    request = new AbortController();
    const mine = (latest += 1);
    const sent = { token: store.token().token, signal: request.signal };
    const answer = await ask("GET", at("/status"), sent);
    if (mine === latest) take(answer);
  }

  function at(path) {
    return machine ? `${path}?machine=${encodeURIComponent(machine)}` : path;
  }

  function take(answer) {
    if (answer.kind !== "ours") trouble(answer.kind);
    else if (answer.ok && answer.body.state) accept(answer.body);
    else if (answer.ok) trouble("noise");
    else refuse(answer);
    changed(known);
    clearTimeout(timer);
    timer = setTimeout(look, delay(answer));
  }

  function accept(status) {
    const at = Date.now();
    const offset = Date.parse(status.now) - at;
    Object.assign(known, { status, at, offset, fresh: true, link: "ok" });
    Object.assign(known, { troubled: null, problem: null });
    tries = 0;
    store.keepKnown(status, at);
  }

  function trouble(kind) {
    tries = known.link === kind ? tries + 1 : 0;
    Object.assign(known, { link: kind, problem: null, fresh: false });
    known.troubled ??= Date.now();
  }

  function refuse({ status, body }) {
    trouble(status === 401 || status === 403 ? "refused" : "problem");
    known.problem = body;
    if (slug(body) === "unknown-machine") machine = null;
  }

  function delay(answer) {
    const steps = { noise: NOISE_MS, silent: SILENT_MS }[known.link];
    if (steps) return steps[Math.min(tries, steps.length - 1)];
    if (known.link === "ok") return MOVING.has(known.status.state) ? QUICK_MS : CALM_MS;
    return Math.min(Math.max(answer.retryAfter ?? 10, 2), 30) * 1000;
  }

  // What is shown is old from here on, before anything is asked.
  function doubt() {
    known.fresh = false;
    changed(known);
    clearTimeout(timer);
    timer = setTimeout(look, SETTLE_MS);
  }

  function returned() {
    if (!document.hidden && store.token()) doubt();
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    returned();
  });
  addEventListener("pageshow", (event) => event.persisted && returned());
  addEventListener("online", returned);

  return {
    known,
    look,
    at,
    // An answer to a POST is as good as a status; one that was asked before is older.
    deliver(status) {
      request?.abort();
      latest += 1;
      take({ kind: "ours", ok: true, status: 200, body: status });
    },
    choose(name) {
      machine = name;
      doubt();
    },
    // Begins anew with another token, or with the same one that was refused.
    begin() {
      Object.assign(known, { link: "looking", problem: null, troubled: null });
      tries = 0;
      doubt();
    },
    clear() {
      request?.abort();
      latest += 1;
      clearTimeout(timer);
      machine = null;
      Object.assign(known, { status: null, at: 0, fresh: false, link: "looking" });
    },
    // Called each second: a page that was frozen finds that time has jumped.
    tick() {
      const now = Date.now();
      const jumped = Math.abs(now - ticked) > GAP_MS;
      ticked = now;
      if (jumped) returned();
      else if (known.fresh && Math.abs(now - known.at) > FRESH_MS) doubt();
      else changed(known);
    },
  };
}
