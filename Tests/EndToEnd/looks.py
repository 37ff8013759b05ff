"""The looks of a page in a browser, measured by script: font sizes and contrasts."""

# The contrast by WCAG 2.1, section 1.4.3, between text and the first opaque background behind it.
CONTRAST = """
const parts = colour => colour.match(/[\\d.]+/g).map(Number);
const light = colour => parts(colour).slice(0, 3).map(part => part / 255)
  .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
const ground = it => {
  for (; it; it = it.parentElement) { const colour = getComputedStyle(it).backgroundColor, all = parts(colour); if (all.length < 4 || all[3] > 0) return colour; }
  return 'rgb(255, 255, 255)';
};
const contrast = (one, other) => { const [low, high] = [light(one), light(other)].sort((a, b) => a - b); return (high + 0.05) / (low + 0.05); };
const isShown = it => it.getClientRects().length > 0;
"""
# Letters of a chart are as large as the chart is drawn.
LETTERS = """[...document.querySelectorAll('body *')].filter(it => isShown(it) && [...it.childNodes].some(node =>
  node.nodeType === 3 && node.textContent.trim())).map(it => {
  const svg = it.ownerSVGElement, style = getComputedStyle(it);
  const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
  return { text: it.textContent.trim().slice(0, 40), size: parseFloat(style.fontSize) * scale,
    contrast: contrast(svg ? style.fill : style.color, ground(svg ? svg.parentElement : it)) };
})"""


def seen(page, expression):
    """Evaluates the expression on the page, where it may use the functions above."""
    return page.evaluate(f"(() => {{ {CONTRAST} return {expression}; }})()")


def hard_to_read(letters):
    """Texts that are too small, or have too little contrast."""
    return [each for each in letters if each["size"] < 11 or each["contrast"] < 4.5]
