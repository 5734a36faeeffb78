// What is to be seen of what is known; pure: no clock, no document, no network.
import { age, amount, clock, cost, knows, page, say, span } from "./format.js";

const WITHOUT_US_MS = 60000;
const STALE_TICK_MS = 180000;
const STEP_MINUTES = 30;
const LEAST_MINUTES = 5;
const MEASURED = new Set(["weights", "seeding", "loading"]);
const TONES = {
  ready: "good",
  off: "calm",
  unknown: "bad",
  unmanaged: "bad",
  stopped_but_billing: "bad",
};

// `now` in ms by this phone's clock; `busy` what was pressed and has no answer yet.
export function picture(known, busy, now) {
  const { status, fresh } = known;
  const there = now + known.offset;
  const word = status ? headline(status) : page("LOOKING");
  return {
    word,
    spoken: status && fresh ? plainWord(status) : null,
    headline: status && !fresh ? lastKnown(known, word, now) : word,
    tone: !status || !fresh ? "old" : tone(status),
    summary: status && fresh ? status.summary : "",
    age: status && !fresh ? asOf(known, now) : "",
    ...connection(known, now),
    ...buttons(known, busy, there),
    ring: ring(status, there),
    money: money(status),
    limits: limits(status, there),
    chat: status?.state === "ready" && fresh ? chat(status) : null,
  };
}

function headline(status) {
  const word = plainWord(status);
  const step = status.state === "loading" && MEASURED.has(status.phase);
  if (!step || status.progress === null || status.problem === "stale") return word;
  return page("PERCENT", { step: word, percent: Math.round(status.progress * 100) });
}

function plainWord({ state, phase, problem }) {
  if (state === "loading" && problem === "stale") return say("Headline", "STALE");
  const name = (state === "loading" ? (phase ?? state) : state).toUpperCase();
  return say("Headline", knows("Headline", name) ? name : "UNKNOWN");
}

function tone({ state, problem, billing }) {
  if (problem === "broken" || problem === "stale") return "bad";
  if (state === "off" && billing !== false) return "bad";
  return TONES[state] ?? "busy";
}

function lastKnown(known, word, now) {
  return page("LAST_KNOWN", { age: age(now - known.at), state: word.toLowerCase() });
}

function asOf({ status, at }, now) {
  const when = clock(Date.parse(status.now), Date.parse(status.now), status.time_zone);
  return page("AS_OF", { at: when, age: age(now - at) });
}

function connection(known, now) {
  const { link, troubled, problem, status } = known;
  const words = {
    silent: page("NO_NETWORK"),
    noise: page("WAKING"),
    problem: problem?.detail,
  };
  const long = troubled !== null && now - troubled >= WITHOUT_US_MS;
  const machine = status?.machine ?? page("THE_MACHINE");
  const without = page("WITHOUT_US", { machine });
  return { banner: words[link] ?? "", without: long && words[link] ? without : "" };
}

// One large button, Start… or Stop; a smaller Stop beside Start…, for it is always there.
function buttons({ status, fresh }, busy, there) {
  const off = status?.state === "off";
  const startable = off && fresh && status.offer && !status.offer.refused;
  return {
    big: off
      ? { act: "start", label: page("START"), enabled: Boolean(startable) && !busy }
      : { act: "stop", label: page("STOP"), enabled: busy !== "stop" },
    stopToo: off,
    stopping: busy === "stop",
    extend: extension(status, fresh, busy, there),
  };
}

function extension(status, fresh, busy, there) {
  const session = status?.session;
  const over = ["stopping", "stopped_but_billing", "off"].includes(status?.state);
  if (!session?.expires_at || !session.extendable_until || over) return null;
  const furthest = Date.parse(session.extendable_until);
  const until = clock(furthest, there, status.time_zone);
  const room = Math.floor((furthest - Date.parse(session.expires_at)) / 60000);
  const minutes = Math.min(STEP_MINUTES, room);
  if (minutes < LEAST_MINUTES) {
    const label = page("EXTEND", { minutes: STEP_MINUTES });
    return { label, enabled: false, note: page("EXTEND_NO_MORE", { until }) };
  }
  const price = amount(cost(session.price_per_hour, minutes), session.currency);
  return {
    minutes,
    label: page("EXTEND", { minutes }),
    enabled: fresh && !busy,
    note: page("EXTEND_COSTS", { cost: price, until }),
  };
}

// The part of the time that is left, from the end itself: it is never counted down.
function ring(status, there) {
  const session = status?.session;
  if (!session?.expires_at) return { part: 0, left: null, text: "" };
  const end = Date.parse(session.expires_at);
  const left = Math.max(0, end - there);
  const whole = Math.max(1, end - Date.parse(session.requested_at));
  return { part: Math.min(1, left / whole), left, text: span(left) };
}

function money(status) {
  const [session, last, budget] = [status?.session, status?.last_session, status?.budget];
  const unknown = page("NOT_KNOWN");
  const shown = { word: page("SO_FAR"), cost: unknown, rate: unknown, budget: unknown };
  if (session) shown.cost = amount(session.cost, session.currency);
  else if (last) {
    shown.word = page("LAST_COST");
    shown.cost = last.cost === null ? unknown : amount(last.cost, last.currency);
  } else if (status?.state === "off") shown.cost = page("NOTHING");
  const priced = session ?? status?.offer;
  if (priced) shown.rate = amount(minutely(priced), priced.currency);
  if (budget) {
    const left = amount(budget.remaining, budget.currency);
    shown.budget = page("BUDGET_IS", { money: left, hours: budget.hours_left });
  }
  return shown;
}

function minutely({ price_per_hour }) {
  return (Number(price_per_hour) / 60).toFixed(2);
}

function limits(status, there) {
  if (!status) return { text: "", bad: false };
  const at = status.enforcers.timer.last_tick_at;
  if (at === null) return { text: page("NEVER_CHECKED"), bad: true };
  const since = there - Date.parse(at);
  const bad = since > STALE_TICK_MS;
  return { text: page(bad ? "UNCHECKED" : "CHECKED", { age: age(since) }), bad };
}

function chat({ links }) {
  return /^https?:\/\//.test(links.chat ?? "") ? links.chat : null;
}
