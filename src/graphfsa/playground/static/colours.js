// The colour of each state: Okabe and Ito's, which people with any common kind of colour vision tell apart, as in
// graphfsa.views; the first is the background. Beyond nine they come from a scale of even lightness.

const LIGHT = ["#ffffff", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"];
const DARK = ["#242a33", "#3d9be0", "#e69f00", "#10b98a", "#cc79a7", "#8fd0f5", "#e8702a", "#f0e442", "#ffffff"];
const SCALE = ["#00204d", "#31446b", "#666970", "#958f78", "#cbba69", "#ffea46"];

export function palette(names, own = {}, dark = false) {
  const basic = dark ? DARK : LIGHT;
  return names.map((name, state) => {
    if (/^#[0-9a-f]{6}$/.test(own[name] ?? "")) return own[name];
    if (names.length <= basic.length || state === 0) return basic[state];
    return mixed(SCALE, (state - 1) / (names.length - 2));
  });
}

function mixed(stops, share) {
  const place = Math.min(stops.length - 2, Math.floor(share * (stops.length - 1))), rest = share * (stops.length - 1) - place;
  const [a, b] = [rgb(stops[place]), rgb(stops[place + 1])];
  return `#${a.map((part, k) => Math.round(part + (b[k] - part) * rest).toString(16).padStart(2, "0")).join("")}`;
}

export function rgb(colour) {
  return [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
}

// As pixels of ImageData, whose bytes are red, green, blue, alpha on every machine that browsers run on.
export function pixels(colours) {
  return Uint32Array.from(colours, (colour) => {
    const [r, g, b] = rgb(colour);
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  });
}

// Black or white, whichever is easier to read on a colour.
export function inkOn(colour) {
  const [r, g, b] = rgb(colour).map((part) => (part / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.32 ? "#000000" : "#ffffff";
}
