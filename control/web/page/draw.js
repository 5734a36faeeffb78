// Puts a picture into the page; what is the same is not touched.
import { page } from "./format.js";

const ID = new Proxy({}, { get: (_, id) => document.getElementById(id) });

export function draw(seen) {
  document.body.dataset.tone = seen.tone;
  text(ID.headline, seen.headline);
  text(ID.summary, seen.summary);
  text(ID.age, seen.age);
  optional(ID.banner, seen.banner);
  optional(ID.without, seen.without);
  drawRing(seen.ring);
  drawButtons(seen);
  drawMoney(seen.money);
  text(ID.limits, seen.limits.text);
  ID.limits.classList.toggle("bad", seen.limits.bad);
  ID.chat.hidden = seen.chat === null;
  if (seen.chat !== null && ID.chat.href !== seen.chat) ID.chat.href = seen.chat;
}

function drawRing(ring) {
  ID.ring.hidden = ring.left === null;
  text(ID["left-time"], ring.text);
  text(ID["left-word"], page("LEFT"));
  const offset = String(100 - Math.round(ring.part * 1000) / 10);
  if (ID.arc.style.strokeDashoffset !== offset) ID.arc.style.strokeDashoffset = offset;
}

function drawButtons({ big, stopToo, stopping, extend }) {
  text(ID.big, big.label);
  ID.big.dataset.act = big.act;
  ID.big.disabled = !big.enabled;
  ID["stop-too"].hidden = !stopToo;
  ID["stop-too"].disabled = stopping;
  ID.extend.hidden = extend === null;
  optional(ID["extend-note"], extend?.note ?? "");
  if (extend === null) return;
  text(ID.extend, extend.label);
  ID.extend.disabled = !extend.enabled;
  ID.extend.dataset.minutes = extend.minutes ?? "";
}

function drawMoney(money) {
  text(ID["cost-word"], money.word);
  text(ID.cost, money.cost);
  text(ID.rate, money.rate);
  text(ID.budget, money.budget);
}

export function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

export function optional(element, words) {
  text(element, words);
  element.hidden = words === "";
}

export { ID };
