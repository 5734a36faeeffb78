// Loads the page anew where its modules did not come. A first visit may meet two versions,
// while one is being deployed; so this file has the same name in each of them, for ever,
// and every version answers it.
const PAUSE_MS = 2000;

addEventListener("load", () => {
  if (document.documentElement.dataset.up === undefined) {
    setTimeout(() => location.reload(), PAUSE_MS);
  }
});
