// The sticks of a gamepad push the first numbers of an action, as in the window.

const SIGNS = [1, -1, 1, -1]; // a gamepad counts downwards
const LEAST = 0.01; // a smaller change of a stick is noise

/** Send what the sticks do from the moment in which a gamepad is connected; `plays()` says whether anybody wants it. */
export function bindGamepad(send, plays) {
  const sent = SIGNS.map(() => 0);
  let watching = false;
  const look = () => {
    const pad = navigator.getGamepads().find((found) => found?.connected);
    if (!pad) return (watching = false);
    if (plays()) {
      SIGNS.forEach((sign, number) => {
        const deflection = sign * (pad.axes[number] ?? 0);
        if (Math.abs(deflection - sent[number]) < LEAST) return;
        sent[number] = deflection;
        send({ stick: number, deflection });
      });
    }
    return requestAnimationFrame(look);
  };
  addEventListener("gamepadconnected", () => {
    if (!watching) look();
    watching = true;
  });
}
