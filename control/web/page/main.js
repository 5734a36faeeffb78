// Puts the page together; every part is a file of its own.
import { ID, draw, optional, text } from "./draw.js";
import { pair } from "./format.js";
import { pairing } from "./pairing.js";
import { picture } from "./picture.js";
import { presses } from "./press.js";
import { question } from "./question.js";
import { sessions } from "./sessions.js";
import { speaker } from "./spoken.js";
import * as store from "./store.js";
import { updates } from "./update.js";
import { watch } from "./watch.js";

const spoken = speaker();
const watching = watch(show);
const pressed = presses(watching, said, () => show());
const pairs = pairing(begin);
const asks = question(watching, pressed.start);
const list = sessions(watching);
const newer = updates(() => !pressed.busy && !ID.question.open && ID.code.value === "");
let saidAt = null;

function show() {
  const { known } = watching;
  const seen = picture(known, pressed.busy, Date.now());
  const paired = Boolean(store.token());
  draw(seen);
  pairs.show(known);
  const usable = paired && known.link !== "refused";
  for (const part of [ID.switch, ID.history]) part.hidden = !usable;
  ID.phone.hidden = !paired;
  optional(ID.paired, store.token()?.device ? device() : "");
  if (usable) spoken.hear(seen);
  if (saidAt !== null && seen.spoken && seen.spoken !== saidAt) said("", true);
  offerMachines(known.status);
  asks.refresh();
  list.refresh();
}

function device() {
  return pair("PAIRED", { device: store.token().device });
}

// What came of a press; what was done goes when the state has moved on.
function said(words, lasts) {
  text(ID.said, words);
  if (words) spoken.speak(words);
  saidAt = lasts ? null : picture(watching.known, null, Date.now()).spoken;
}

function offerMachines(status) {
  const names = status?.fleet ?? [];
  ID.machines.hidden = names.length < 2;
  if (names.length < 2 || ID.machine.options.length === names.length) return;
  ID.machine.replaceChildren(...names.map((name) => new Option(name, name)));
  ID.machine.value = status.machine;
}

function begin() {
  watching.begin();
  show();
}

ID.big.addEventListener("click", () => {
  if (ID.big.dataset.act === "start") asks.open();
  else pressed.stop();
});
ID["stop-too"].addEventListener("click", pressed.stop);
ID.extend.addEventListener("click", () => pressed.extend(Number(ID.extend.dataset.minutes)));
ID.machine.addEventListener("change", () => watching.choose(ID.machine.value));
ID.again.addEventListener("click", begin);
ID.forget.addEventListener("click", () => {
  store.forget();
  watching.clear();
  show();
});
addEventListener("hashchange", show);
store.onTokenElsewhere(begin);
setInterval(() => {
  watching.tick();
  newer.refresh();
}, 1000);
show();
watching.look();
document.documentElement.dataset.up = "";
