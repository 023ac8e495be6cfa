// Gamepads, as in the window: sticks push the first numbers of an action; where actions are choices, they press keys.

const SIGNS = [1, -1, 1, -1]; // a gamepad counts downwards
const LEAST = 0.01; // a smaller change of a stick is noise
const PUSHED = 0.5, LET_GO = 0.35; // deflections from which a stick presses a direction, and below which it lets it go
const DIRECTIONS = [[12, 1, -1], [13, 1, 1], [14, 0, -1], [15, 0, 1]]; // the button of a direction, its axis and sign

/**
 * Send what gamepads do from the moment in which one is connected. `plays()` says who wants it: "numbers", "keys" or
 * nobody; `keys()` gives the key of each button by its place, and `input` takes them.
 */
export function bindGamepad(send, plays, keys, input) {
  const sent = SIGNS.map(() => 0), held = new Set();
  let watching = false;
  const look = () => {
    const pad = navigator.getGamepads().find((found) => found?.connected);
    if (!pad) return (watching = false);
    const who = plays();
    if (who === "numbers") pushNumbers(pad);
    if (who) pressKeys(pad, who === "keys");
    return requestAnimationFrame(look);
  };
  const pushNumbers = (pad) =>
    SIGNS.forEach((sign, number) => {
      const deflection = sign * (pad.axes[number] ?? 0);
      if (Math.abs(deflection - sent[number]) < LEAST) return;
      sent[number] = deflection;
      send({ stick: number, deflection });
    });
  const pressKeys = (pad, withStick) => {
    for (const [place, key] of Object.entries(keys())) {
      const [, axis, sign] = (withStick && DIRECTIONS.find(([button]) => button === Number(place))) || [];
      const pushed = axis !== undefined && sign * (pad.axes[axis] ?? 0) >= (held.has(place) ? LET_GO : PUSHED);
      const down = pushed || Boolean(pad.buttons?.[place]?.pressed);
      if (down === held.has(place)) continue;
      if (down) input.press(`gamepad ${place}`, key);
      else input.release(`gamepad ${place}`);
      held[down ? "add" : "delete"](place);
    }
  };
  addEventListener("gamepadconnected", () => {
    if (!watching) look();
    watching = true;
  });
}
