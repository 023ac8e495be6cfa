// The still of a learned world becomes the world itself when it is pressed; before that nothing of it is fetched.

for (const still of document.querySelectorAll("a.play")) {
  still.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens the link elsewhere
    event.preventDefault();
    const frame = document.createElement("iframe");
    Object.assign(frame, { className: "play", src: still.dataset.frame, title: "a learned world", allow: "clipboard-write; fullscreen" });
    frame.addEventListener("load", () => frame.focus()); // keys go to the game
    const own = Object.assign(document.createElement("a"), { href: still.href, target: "_blank", textContent: "In a tab of its own: all worlds, and more threads" });
    still.replaceWith(frame, own);
  });
}
