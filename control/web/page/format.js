// Sentences, spans, times and amounts as people read them.
import { words } from "./words.js";

export function say(book, name, values = {}) {
  return words[book][name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
}

export function page(name, values) {
  return say("Page", name, values);
}

export function pair(name, values) {
  return say("Pairing", name, values);
}

export function knows(book, name) {
  return Object.hasOwn(words[book], name);
}

// "12 seconds", "5 minutes": how old something is.
export function age(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return counted(seconds, "second");
  if (seconds < 3600) return counted(Math.floor(seconds / 60), "minute");
  if (seconds < 48 * 3600) return counted(Math.floor(seconds / 3600), "hour");
  return counted(Math.floor(seconds / 86400), "day");
}

function counted(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

// "1 h 12 min": a span of work.
export function span(ms) {
  const minutes = Math.max(0, Math.floor(ms / 60000));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return hours ? `${hours} h ${rest} min` : `${rest} min`;
}

// "12:00", in the switch's own zone; with its day where that is another one.
export function clock(ms, now, zone) {
  const day = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "short" });
  const same = day.format(ms) === day.format(now);
  const parts = { hour: "2-digit", minute: "2-digit" };
  if (!same) Object.assign(parts, { weekday: "short", day: "numeric", month: "short" });
  return new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...parts }).format(ms);
}

export function amount(value, currency) {
  return `${value} ${currency}`;
}

// What so many minutes cost, rounded up to a cent.
export function cost(pricePerHour, minutes) {
  return (Math.ceil((Number(pricePerHour) * 100 * minutes) / 60 - 1e-6) / 100).toFixed(2);
}
