// The question before a start: how long, what it costs at most, and what ends it.
import { ID, optional, text } from "./draw.js";
import { amount, clock, cost, page, say } from "./format.js";

const USUAL_HOURS = [1, 2, 3, 4, 6, 8, 12];
// The second tap of a double tap must not spend anything.
const DEAF_MS = 600;

export function question(watch, start) {
  let [hours, opened] = [null, 0];

  function open() {
    const { status } = watch.known;
    if (!startable(watch.known) || ID.question.open) return;
    hours = Number(status.offer.hours);
    opened = Date.now();
    text(ID["question-title"], page("ASK", { machine: status.machine }));
    ID.choices.replaceChildren(...choices(status.offer).map(choice));
    ID.question.returnValue = "";
    refresh();
    ID.question.showModal();
    setTimeout(refresh, DEAF_MS);
  }

  function choice(each) {
    const [label, input] = [document.createElement("label"), document.createElement("input")];
    Object.assign(input, { type: "radio", name: "hours", checked: each === hours });
    input.value = String(each);
    input.addEventListener("change", () => {
      hours = each;
      refresh();
    });
    label.append(input, page("HOURS", { hours: each }));
    return label;
  }

  function refresh() {
    const { known } = watch;
    const ready = startable(known);
    ID.go.disabled = !ready || Date.now() - opened < DEAF_MS;
    text(ID.go, page("GO", { hours }));
    optional(ID["question-note"], note(known, ready));
    if (!known.status?.offer) return;
    text(ID["question-cost"], page("AT_MOST", { cost: atMost(known.status.offer, hours) }));
    text(ID["question-end"], ends(known, hours));
  }

  ID.question.addEventListener("close", () => {
    if (ID.question.returnValue === "start" && startable(watch.known)) start(hours);
  });
  return { open, refresh };
}

function startable({ status, fresh }) {
  return fresh && status?.state === "off" && status.offer && !status.offer.refused;
}

function choices(offer) {
  const most = Number(offer.max_hours);
  const all = [...USUAL_HOURS.filter((each) => each < most), Number(offer.hours), most];
  return [...new Set(all)].sort((one, other) => one - other);
}

function atMost(offer, hours) {
  const exact = hours === Number(offer.hours);
  const most = exact ? offer.max_cost : cost(offer.price_per_hour, hours * 60);
  return amount(most, offer.currency);
}

function ends({ status, offset }, hours) {
  const [now, most] = [Date.now() + offset, Number(status.offer.max_hours)];
  const until = clock(now + hours * 3600000, now, status.time_zone);
  if (hours < most) return page("ENDS_AS_CHOSEN", { until });
  const why = say("Rule", status.offer.max_limited_by.toUpperCase());
  return page("ENDS_AT_A_LIMIT", { until, why });
}

function note({ status }, ready) {
  if (!ready) return page("NOT_FRESH");
  return status.offer.price_source === "retail" ? "" : page("AT_SET_PRICE");
}
