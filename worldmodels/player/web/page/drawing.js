// Drawing on the real frame, with the mouse or a finger; the right button picks up the colour.

const RIGHT = 2;

/** Let the real frame in `area` be drawn on: `send` gets messages, `columns()` those that are shown, or null while nobody draws. */
export function bindDrawing(area, send, columns) {
  let stroke = null; // the frame that is drawn on, and its pointer
  const draw = (event, begins) => {
    const { left, top, width, height } = stroke.frame.getBoundingClientRect();
    const share = (from, at, whole) => Math.min(1, Math.max(0, (at - from) / whole));
    const place = [share(left, event.clientX, width), share(top, event.clientY, height)];
    send({ draw: place, begins, picks: event.button === RIGHT });
  };
  area.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest(".cell"), shown = columns();
    if (!shown || !event.target.matches(".frame") || shown[[...area.children].indexOf(cell)]?.name !== "Real") return;
    event.preventDefault();
    event.target.setPointerCapture(event.pointerId);
    stroke = { frame: event.target, pointer: event.pointerId };
    draw(event, true);
    if (event.button === RIGHT) stroke = null;
  });
  area.addEventListener("pointermove", (event) => stroke?.pointer === event.pointerId && columns() && draw(event, false));
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) area.addEventListener(end, () => (stroke = null));
  area.addEventListener("contextmenu", (event) => columns() && event.preventDefault());
}
