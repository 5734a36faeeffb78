// One request, and what came of it: only the switch's own JSON is an answer.
//   {kind: "ours", status, body, retryAfter}
//   {kind: "noise"}   something else answered: a cold start, a deployment, a portal
//   {kind: "silent"}  nothing answered in time
export async function ask(method, path, { token, body, signal, limit = 10000 } = {}) {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), limit);
  signal?.addEventListener("abort", () => end.abort());
  try {
    const answer = await fetch(path, {
      method,
      headers: headers(token, body),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: end.signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
    return await read(answer);
  } catch {
    return { kind: "silent" };
  } finally {
    clearTimeout(timer);
  }
}

function headers(token, body) {
  const made = { Accept: "application/json" };
  if (token) made.Authorization = `Bearer ${token}`;
  if (body !== undefined) made["Content-Type"] = "application/json";
  return made;
}

async function read(answer) {
  const kind = answer.headers.get("Content-Type") ?? "";
  const problem = kind.startsWith("application/problem+json");
  if (!problem && !kind.startsWith("application/json")) {
    await answer.body?.cancel();
    return { kind: "noise" };
  }
  const body = await parsed(answer);
  if (body === null || (problem && !isProblem(body))) return { kind: "noise" };
  const retryAfter = Number(answer.headers.get("Retry-After")) || null;
  return { kind: "ours", status: answer.status, ok: answer.ok, body, retryAfter };
}

// A body that breaks off is no answer at all; one that is no JSON is somebody else's.
async function parsed(answer) {
  const text = await answer.text();
  try {
    const body = JSON.parse(text);
    return typeof body === "object" ? body : null;
  } catch {
    return null;
  }
}

function isProblem(body) {
  return typeof body.type === "string" && body.type.startsWith("/problems/");
}

export function slug(body) {
  return body.type.slice("/problems/".length);
}

// Waits, unless it is called off.
export function pause(ms, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}
