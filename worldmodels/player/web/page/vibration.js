// Vibration on a reward, and longer on a harm or a death, on phones that can, if the person wants it.

const PULSES = { reward: [30], harm: [90, 50, 90] }; // milliseconds on, off, on
const KEPT = "vibrates";

/** Show the box `label` where a finger plays and less motion is not asked for; it is off until it is ticked. */
export function bindVibration(label) {
  const wants = (query) => matchMedia(query).matches;
  const box = label.querySelector("input");
  label.hidden = !navigator.vibrate || !wants("(pointer: coarse)") || wants("(prefers-reduced-motion: reduce)");
  box.checked = localStorage.getItem(KEPT) === "yes";
  box.addEventListener("change", () => {
    localStorage.setItem(KEPT, box.checked ? "yes" : "no");
    if (box.checked) navigator.vibrate(PULSES.reward);
    box.blur();
  });
  return (kind) => !label.hidden && box.checked && navigator.vibrate(PULSES[kind]);
}
