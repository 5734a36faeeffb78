// Gives this phone its token: by a code that was scanned, pasted or typed, on a tap only.
import { ask, pause, slug } from "./api.js";
import { ID, optional, text } from "./draw.js";
import { page, pair } from "./format.js";
import * as store from "./store.js";

const CODE = /^[0-9A-HJKMNP-TV-Z]{10}$/;
const TOKEN = /^[\w.~+/=-]{20,200}$/;
const MISREAD = { O: "0", I: "1", L: "1" };
const WAITS_MS = [1000, 2000, 4000, 8000, 8000, 8000];

// `paired()` is called when this phone has its token.
export function pairing(paired) {
  let busy = false;

  async function redeem(typed) {
    const [code, token] = [codeIn(typed), tokenIn(typed)];
    if (busy || !(code ?? token)) return told(busy ? "" : pair("NOTHING_PASTED"));
    busy = true;
    told(page("SENDING"));
    const answer = code ? await exchange(code) : await tryOut(token);
    busy = false;
    if (answer.kind !== "ours") told(pair("PAIR_UNANSWERED"));
    else if (!answer.ok) told(answer.body.detail);
    else finish(code ? answer.body : { token, device: null });
  }

  function exchange(code) {
    return patiently(() => ask("POST", "/pair", { body: { code }, limit: 20000 }));
  }

  function tryOut(token) {
    return patiently(() => ask("GET", "/status", { token, limit: 20000 }));
  }

  // What is not the switch has used no code up; silence may have, so it is not repeated.
  async function patiently(send) {
    for (const wait of WAITS_MS) {
      const answer = await send();
      if (answer.kind !== "noise") return answer;
      told(page("WAKING"));
      await pause(wait);
    }
    return send();
  }

  function finish({ token, device, scope }) {
    store.keepToken({ token, device: device ?? null, scope: scope ?? null });
    ID.code.value = "";
    clean();
    told("");
    paired();
  }

  // The code leaves the address; whoever installs the page must not keep it.
  function clean() {
    if (location.hash) history.replaceState(null, "", location.pathname);
  }

  function show(known) {
    const [token, scanned] = [store.token(), codeIn(location.hash)];
    const refused = known.link === "refused" ? known.problem : null;
    ID.pairing.hidden = Boolean(token) && !scanned && !refused;
    if (ID.pairing.hidden) return;
    text(ID["pairing-title"], title(scanned, refused));
    optional(ID["pairing-how"], how(scanned, refused));
    ID.scanned.hidden = !scanned;
    ID["code-form"].hidden = Boolean(scanned);
    ID.again.hidden = !refused;
    ID["not-now"].hidden = !(scanned && token);
  }

  ID["code-form"].addEventListener("submit", (event) => {
    event.preventDefault();
    redeem(ID.code.value);
  });
  ID["use-here"].addEventListener("click", () => redeem(location.hash));
  ID.copy.addEventListener("click", () => copy(codeIn(location.hash)));
  ID.paste.addEventListener("click", async () => {
    const pasted = await navigator.clipboard?.readText?.().catch(() => "");
    ID.code.value = codeIn(pasted ?? "") ?? "";
    redeem(pasted ?? "");
  });
  ID["not-now"].addEventListener("click", () => {
    clean();
    paired();
  });
  return { show };
}

function told(words) {
  text(ID["pairing-said"], words);
}

function title(scanned, refused) {
  if (scanned) return pair("SCANNED", { code: spaced(scanned) });
  if (!refused) return pair("PAIR");
  return pair(slug(refused) === "token-revoked" ? "REMOVED" : "UNKNOWN_HERE");
}

function how(scanned, refused) {
  if (scanned) return "";
  return refused ? `${refused.detail} ${pair("PAIR_HOW")}` : pair("PAIR_HOW");
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code);
    told(pair("COPIED"));
  } catch {
    told(pair("NOT_COPIED", { code: spaced(code) }));
  }
}

// A code alone, or behind the # of the address that the QR code holds.
function codeIn(typed) {
  const bare = typed.slice(typed.lastIndexOf("#") + 1).toUpperCase();
  const code = bare.replace(/[\s-]/g, "").replace(/[OIL]/g, (each) => MISREAD[each]);
  return CODE.test(code) ? code : null;
}

function tokenIn(typed) {
  return TOKEN.test(typed.trim()) ? typed.trim() : null;
}

function spaced(code) {
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}
