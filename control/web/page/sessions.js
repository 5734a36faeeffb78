// The last sessions: asked for when there is another one, and never while hidden.
import { ask } from "./api.js";
import { ID, optional } from "./draw.js";
import { amount, clock, knows, page, say, span } from "./format.js";
import * as store from "./store.js";

const MOST = 5;

export function sessions(watch) {
  let shown = null;
  let failed = null;

  async function refresh() {
    const { status, fresh } = watch.known;
    if (!status || !fresh) return;
    const newest = [status.machine, status.session?.id, status.last_session?.id].join();
    if (newest === shown || status === failed) return;
    shown = newest;
    const query = `machine=${encodeURIComponent(status.machine)}&limit=${MOST}`;
    const answer = await ask("GET", `/sessions?${query}`, { token: store.token()?.token });
    if (answer.kind === "ours" && answer.body.sessions) show(answer.body, status);
    else fail(status);
  }

  function show(list, status) {
    const items = list.sessions.map((each) => item(each, status));
    ID.sessions.replaceChildren(...items);
    optional(ID["sessions-note"], items.length ? "" : page("NO_SESSIONS"));
  }

  // The page is drawn each second: it is asked for again with the next status.
  function fail(status) {
    shown = null;
    failed = status;
    optional(ID["sessions-note"], page("SESSIONS_UNKNOWN"));
  }

  return { refresh };
}

function item(session, { now, time_zone: zone }) {
  const made = document.createElement("li");
  const when = clock(Date.parse(session.requested_at), Date.parse(now), zone);
  const price = session.cost === null ? "" : amount(session.cost, session.currency);
  const seconds = session.billed_seconds;
  const lasted = seconds === null ? "" : span(seconds * 1000);
  const first = [when, lasted, price].filter(Boolean).join(" · ");
  made.append(line("strong", first), line("span", ended(session)));
  return made;
}

function line(kind, words) {
  const made = document.createElement(kind);
  made.textContent = words;
  return made;
}

function ended({ ended_at, stop_reason, stopped_by, started_by }) {
  if (ended_at === null) return page("RUNNING_NOW");
  const name = (stop_reason ?? "").toUpperCase();
  return say("Ended", knows("Ended", name) ? name : "OUTSIDE", { by: stopped_by ?? started_by });
}
