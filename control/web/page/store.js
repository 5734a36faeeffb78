// What this phone keeps: its token, and the last status. A browser may forbid it.
const TOKEN = "switch.token";
const KNOWN = "switch.known";
const spare = new Map();

export function token() {
  return read(TOKEN);
}

export function keepToken(paired) {
  write(TOKEN, paired);
  // Granted or not: a phone can always be paired again.
  navigator.storage?.persist?.().catch(() => {});
}

export function forget() {
  remove(TOKEN);
  remove(KNOWN);
}

export function lastKnown() {
  return read(KNOWN);
}

export function keepKnown(status, at) {
  write(KNOWN, { status, at });
}

export function onTokenElsewhere(act) {
  addEventListener("storage", (event) => {
    if (event.key === TOKEN || event.key === null) act();
  });
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? spare.get(key) ?? "null");
  } catch {
    return JSON.parse(spare.get(key) ?? "null");
  }
}

function write(key, value) {
  const text = JSON.stringify(value);
  spare.set(key, text);
  try {
    localStorage.setItem(key, text);
  } catch {
    // It lasts as long as the page.
  }
}

function remove(key) {
  spare.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept then.
  }
}
