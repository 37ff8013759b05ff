let rows = [];
function showHorizon(horizon) {
  for (const span of [10, 60, 600, 3600]) say(`within-${span}`, whole.format(horizon.within[span]));
  say("later", whole.format(horizon.later));
  say("overdue", whole.format(horizon.overdue));
  const isWave = place => horizon.waves.some(wave =>
    place * horizon.bucket_s < wave.in_s + wave.lasts_s && (place + 1) * horizon.bucket_s > wave.in_s);
  const size = shared("horizon", horizon.buckets.length, 5, [1, 2, 3, 6, 12]), all = [], waves = [];
  for (let place = 0; place < horizon.buckets.length; place += size) {
    let [count, inWaves] = [0, 0];
    for (let each = place; each < place + size && each < horizon.buckets.length; each += 1) {
      count += horizon.buckets[each];
      if (isWave(each)) inWaves += horizon.buckets[each];
    }
    all.push([place, 0.8 * size, count]);
    waves.push([place, 0.8 * size, inWaves]);
  }
  const top = highest(all);
  draw("horizon", horizon.buckets.length, [{ style: "token", bars: all }, { style: "wave", bars: waves }], top);
  say("horizon-bar", lasting(size * horizon.bucket_s));
  say("horizon-top", top ? `The highest: ${whole.format(top)}.` : "No token ends within the hour.");
  byID("horizon").setAttribute("aria-label", top
    ? `Tokens that end in each ${size * horizon.bucket_s} seconds of the next hour: ${whole.format(horizon.within[3600])} in all, ${whole.format(top)} at most.`
    : "No token ends within the hour.");
  showWaves(horizon.waves);
}
// A wave is the one of before if their times overlap, so that its button stays the button that has the focus.
function showWaves(waves) {
  const old = rows;
  rows = waves.map(wave => {
    const place = old.findIndex(row => row.wave.from < wave.before && wave.from < row.wave.before);
    const row = place < 0 ? rowOfWave() : old.splice(place, 1)[0];
    row.wave = wave;
    row.text.textContent = `${whole.format(wave.tokens)} tokens end in ${lasting(wave.in_s)}, at ${clock(wave.from + 1)}, within ${lasting(wave.lasts_s)}`;
    label(row);
    row.sessions.setAttribute("aria-label", `Sessions of the wave of ${whole.format(wave.tokens)} tokens`);
    if (row.until && performance.now() > row.until) setBusy(row, 0, "Spread");
    if (row.asked && performance.now() > row.asked) calm(row);
    return row;
  });
  const hadFocus = old.some(row => row.item.contains(document.activeElement));
  for (const row of old) row.item.remove();
  const list = byID("waves");
  rows.forEach((row, place) => { if (list.children[place] !== row.item) list.insertBefore(row.item, list.children[place] ?? null); });
  if (hadFocus) byID("horizon-title").focus();
  show("no-waves", !rows.length);
  say("no-waves", "No wave is coming within the hour.");
}
// What is read out begins with what the button shows.
function label(row) {
  row.button.setAttribute("aria-label", `${row.button.textContent} the wave of ${whole.format(row.wave.tokens)} tokens`);
}
function rowOfWave() {
  const item = document.createElement("li");
  const row = { item, text: element("span", "", item), until: 0 };
  row.sessions = button("Sessions", item, () => pick(`Sessions of the wave at ${clock(row.wave.from + 1)}`,
    { expires_from: row.wave.from, expires_before: row.wave.before }, row.sessions));
  row.button = button("Spread", item, () => spread(row));
  return row;
}
function button(text, parent, action) {
  const made = element("button", text, parent);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}
function setBusy(row, milliseconds, text) {
  row.until = milliseconds ? performance.now() + milliseconds : 0;
  row.button.setAttribute("aria-disabled", String(milliseconds > 0));
  row.button.textContent = text;
  label(row);
}
// A second press within ten seconds gives the order.
function calm(row) {
  row.asked = 0;
  if (!row.until) row.button.textContent = "Spread";
  label(row);
}
async function spread(row) {
  if (row.until) return;
  if (!row.asked) {
    row.asked = performance.now() + 10000;
    row.button.textContent = "Spread now?";
    label(row);
    return say("said", `Press again to ask ${whole.format(row.wave.tokens)} sessions for their next tokens before they end.`);
  }
  row.asked = 0;
  setBusy(row, 60000, "Spreading…");
  try {
    const answer = await order("horizon/spread", { from: row.wave.from, before: row.wave.before });
    if (!answer.ok) {
      setBusy(row, 0, "Spread");
      return say("said", answer.status === 401 ? loggedOut : `Not spread: ${await refusal(answer)}`);
    }
    const { sessions, over_s: over } = await answer.json();
    row.number = Number(answer.headers.get("location")?.split("/").at(-1));
    if (sessions) setBusy(row, Math.max(2000, over * 1000), "Is being spread"); else setBusy(row, 0, "Spread");
    say("said", sessions
      ? `${whole.format(sessions)} sessions are asked for their next tokens, one after the other, over ${lasting(over)}.`
      : "Nobody was left to be asked: those sessions have been asked already, or are going to be.");
  } catch {
    setBusy(row, 0, "Spread");
    say("said", "The gateway does not answer; whether the wave is being spread will show here.");
  }
}

// The orders under way, whoever gave them, each until its last session has been asked.
let spreads = [];
function showSpreads(orders) {
  const old = spreads;
  spreads = orders.map(({ order: number, waiting, left_s: left }) => {
    const place = old.findIndex(row => row.number === number);
    const row = place < 0 ? rowOfSpread(number) : old.splice(place, 1)[0];
    row.text.textContent = `Order ${number}: ${whole.format(waiting)} sessions have yet to be asked, within ${lasting(left)}`;
    return row;
  });
  const hadFocus = old.some(row => row.item.contains(document.activeElement));
  for (const row of old) row.item.remove();
  for (const row of spreads) if (!row.item.isConnected) byID("spreads").append(row.item);
  if (hadFocus) byID("horizon-title").focus();
  show("spreading", spreads.length);
}
function rowOfSpread(number) {
  const item = document.createElement("li");
  const row = { number, item, text: element("span", "", item) };
  row.button = button("Undo", item, () => undo(number));
  row.button.setAttribute("aria-label", `Undo the spreading of order ${number}`);
  return row;
}
async function undo(number) {
  try {
    const answer = await order(`horizon/spread/${number}`, {}, "DELETE");
    if (!answer.ok) {
      return say("said", answer.status === 401 ? loggedOut : answer.status === 404
        ? "Nothing is left to undo: all of its sessions have been asked." : `Not undone: ${await refusal(answer)}`);
    }
    const { sessions } = await answer.json();
    for (const row of rows) if (row.number === number) setBusy(row, 0, "Spread");
    showSpreads(last.spreads = last.spreads.filter(each => each.order !== number));
    say("said", `Undone: ${whole.format(sessions)} sessions are not asked early. Those asked before stay asked.`);
  } catch { say("said", "The gateway does not answer; whether it is undone will show here."); }
}
