// What a screen reader says by itself: changes of state, and 15, 5 and 1 minutes left.
import { ID, text } from "./draw.js";
import { page } from "./format.js";

const WARN_MINUTES = [15, 5, 1];

export function speaker() {
  let [word, banner, left] = [null, "", null];

  function hear(seen) {
    const minutes = warning(left, seen.ring.left);
    if (minutes) speak(page("MINUTES_LEFT", { minutes }));
    left = seen.ring.left;
    if (seen.banner !== banner) speak(seen.banner || (seen.spoken ?? ""));
    banner = seen.banner;
    if (seen.spoken && seen.spoken !== word) speak(seen.spoken);
    word = seen.spoken ?? word;
  }

  function speak(words) {
    text(ID.spoken, words);
  }

  return { hear, speak };
}

// The threshold that was passed since the last look, in minutes.
function warning(before, left) {
  if (before === null || left === null) return null;
  return WARN_MINUTES.find((each) => before > each * 60000 && left <= each * 60000);
}
