const space = "http://www.w3.org/2000/svg";
// The bars of a row are triples: where it begins, how wide it is, how high.
function draw(id, width, rows, top) {
  const place = byID(id);
  place.closest(".plot").classList.toggle("none", !rows.some(row => row.bars.some(bar => bar[2] > 0)));
  say(`${id}-high`, whole.format(top));
  let picture = place.firstElementChild;
  if (!picture) {
    picture = document.createElementNS(space, "svg");
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("aria-hidden", "true");
    for (const row of rows) {
      const path = document.createElementNS(space, "path");
      path.setAttribute("class", row.style);
      picture.append(path);
    }
    place.append(picture);
  }
  const box = `0 0 ${width} 100`;
  if (picture.getAttribute("viewBox") !== box) picture.setAttribute("viewBox", box);
  rows.forEach((row, place) => {
    const path = row.bars.filter(bar => bar[2] > 0).map(([x, wide, value]) =>
      `M${x.toFixed(2)} 100v${-Math.max(2, 98 * value / top).toFixed(1)}h${wide.toFixed(2)}V100z`).join("");
    if (picture.children[place].getAttribute("d") !== path) picture.children[place].setAttribute("d", path);
  });
}
const highest = bars => bars.reduce((top, bar) => Math.max(top, bar[2]), 0);
// How many neighbours share a bar, so that a place is at least so many pixels wide.
const shared = (id, count, least, choices) => choices.find(size => byID(id).clientWidth * size / count >= least) ?? choices.at(-1);
