// What a press sends. A stop is sent until the switch has taken it; a start never twice.
import { ask, pause } from "./api.js";
import { page } from "./format.js";
import * as store from "./store.js";

const STOP_FOR_MS = 120000;
const LIMIT_MS = 20000;
const WAITS_MS = [1000, 2000, 4000, 8000];

// `said(words, lasts)` shows what came of it; `changed()` is called as `busy` changes.
export function presses(watch, said, changed) {
  const made = { busy: null };

  function post(path, body) {
    const target = `${path}${of(watch.known.status)}`;
    return ask("POST", target, { token: store.token()?.token, body, limit: LIMIT_MS });
  }

  async function once(what, path, body) {
    if (made.busy) return;
    begin(what);
    const answer = await post(path, body);
    if (made.busy !== what) return;
    if (answer.kind === "ours") end(answer);
    else fail(page("NOT_CONFIRMED"));
  }

  async function stop() {
    if (made.busy === "stop") return;
    begin("stop");
    const until = Date.now() + STOP_FOR_MS;
    for (let tries = 0; ; tries += 1) {
      const answer = await post("/stop", {});
      if (answer.kind === "ours" && answer.status < 500) return end(answer);
      const told = answer.kind === "ours" ? answer.body.detail : page("STOP_AGAIN");
      if (Date.now() >= until) return fail(`${page("STOP_GIVEN_UP")}`);
      said(told, true);
      await pause(WAITS_MS[Math.min(tries, WAITS_MS.length - 1)]);
    }
  }

  function begin(what) {
    made.busy = what;
    said(page("SENDING"), true);
    changed();
  }

  function end({ ok, body }) {
    made.busy = null;
    if (ok && body.state) watch.deliver(body);
    else watch.look();
    said(ok ? body.summary : body.detail, !ok);
    changed();
  }

  function fail(words) {
    made.busy = null;
    watch.look();
    said(words, true);
    changed();
  }

  return Object.assign(made, {
    stop,
    start: (hours) => once("start", "/start", { hours }),
    extend: (minutes) => once("extend", "/extend", { minutes }),
  });
}

// The machine that is shown; when none was ever seen, a stop means all of them.
function of(status) {
  return status ? `?machine=${encodeURIComponent(status.machine)}` : "";
}
