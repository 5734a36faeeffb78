// The worker that keeps the page's files, and the change to a new version of them all.
const HOUR_MS = 3600000;
const QUIET_MS = 10000;

// `idle()` says whether the page may be changed under its reader's hands.
export function updates(idle) {
  if (!("serviceWorker" in navigator)) return { refresh() {} };
  const { serviceWorker } = navigator;
  let [registration, touched, asked] = [null, Date.now(), Date.now()];
  let [swapped, controlled] = [false, Boolean(serviceWorker.controller)];

  serviceWorker.register(address(), { updateViaCache: "none" }).then(
    (made) => (registration = made),
    () => {}, // Without it the page works, but not without a network.
  );
  serviceWorker.addEventListener("controllerchange", () => {
    // The first worker takes over the page that began it; nothing is newer then.
    if (controlled) swapped = true;
    controlled = true;
  });
  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, () => (touched = Date.now()), { passive: true });
  }
  document.addEventListener("visibilitychange", () => !document.hidden && check());

  function check() {
    asked = Date.now();
    registration?.update().catch(() => {});
  }

  return {
    // Called each second.
    refresh() {
      if (Date.now() - asked > HOUR_MS) check();
      const quiet = document.hidden || Date.now() - touched > QUIET_MS;
      if (!quiet || !idle()) return;
      if (swapped) location.reload();
      else registration?.waiting?.postMessage("swap");
    },
  };
}

// The page's one policy for addresses of scripts: this address and no other.
function address() {
  const rules = { createScriptURL: () => "/sw.js" };
  return globalThis.trustedTypes?.createPolicy("shell", rules).createScriptURL("") ?? "/sw.js";
}
