// Keeps one whole version of the pages' files, and never an answer of the switch:
// what is not in PATHS is not even looked at.
const VERSION = "{{version}}";
const PATHS = {{paths}};
const CACHE = `shell-${VERSION}`;

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("message", (event) => {
  if (event.data === "swap") self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const { origin, pathname } = new URL(url);
  const ours = method === "GET" && origin === self.location.origin;
  if (ours && PATHS.includes(pathname)) event.respondWith(kept(pathname));
});

// A cache that is not whole, or of another version, must not be.
async function fill() {
  const cache = await caches.open(CACHE);
  try {
    for (const path of PATHS) {
      const answer = await fetch(path, { cache: "reload", redirect: "error" });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
      const html = answer.headers.get("Content-Type")?.startsWith("text/html");
      const page = !path.slice(1).includes(".");
      if (html !== page) throw new Error(`${path} is something else`);
      if (page && !(await answer.clone().text()).includes(`/shell/${VERSION}/`)) {
        throw new Error(`${path} is of another version`);
      }
      // By its path alone: an address may carry a pairing code behind its #.
      await cache.put(path, answer);
    }
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
}

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name !== CACHE) await caches.delete(name);
  }
  await self.clients.claim();
}

async function kept(path) {
  const cache = await caches.open(CACHE);
  return (await cache.match(path)) ?? fetch(path, { cache: "no-store" });
}
