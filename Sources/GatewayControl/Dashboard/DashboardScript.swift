/// The script of the dashboard: it draws the waves that come, for instance. It writes text, never markup, and asks for
/// nothing but the port's own resources.
enum DashboardScript {
  static let text = words + drawing + waves + feed

  /// What is shared: elements, numbers, times.
  private static let words = #"""
    "use strict";
    const byID = id => document.getElementById(id);
    const root = document.body.dataset.root;
    const whole = new Intl.NumberFormat("en");
    const sum = counts => Object.values(counts).reduce((one, other) => one + other, 0);
    const say = (id, text) => { const place = byID(id); if (place.textContent !== text) place.textContent = text; };
    const show = (id, isShown) => { byID(id).hidden = !isShown; };
    const clock = seconds => new Date(seconds * 1000).toLocaleTimeString("en-GB");
    const order = (path, body) => fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json", "X-Postern-Dashboard": "1" }, body: JSON.stringify(body),
    });
    function element(name, text, parent) {
      const made = document.createElement(name);
      made.textContent = text;
      parent?.append(made);
      return made;
    }
    function lasting(seconds) {
      const rounded = Math.max(0, Math.round(seconds));
      if (rounded < 60) return `${rounded} s`;
      const rest = rounded % 60;
      return `${Math.floor(rounded / 60)} min${rest ? ` ${rest} s` : ""}`;
    }
    async function refusal(answer) {
      try { return (await answer.json()).error.message; } catch { return `the gateway answered ${answer.status}`; }
    }

    // Logging in and out.

    function prepareLogin() {
      byID("login").addEventListener("submit", async event => {
        event.preventDefault();
        say("refused", "");
        try {
          const answer = await order(root + "dashboard/login", { secret: byID("secret").value });
          if (answer.ok) return location.reload();
          say("refused", await refusal(answer));
        } catch { say("refused", "The gateway does not answer."); }
        byID("secret").select();
      });
    }
    async function logOut() {
      try { await order(root + "dashboard/logout", {}); } catch { return say("said", "The gateway does not answer; you are not logged out."); }
      location.reload();
    }

    """#

  /// Charts: bars, one for each value, as one path for each kind.
  private static let drawing = #"""
    const space = "http://www.w3.org/2000/svg";
    function draw(id, width, rows, top) {
      const place = byID(id);
      place.classList.toggle("none", !rows.some(row => row.values.some(value => value > 0)));
      let picture = place.firstElementChild;
      if (!picture) {
        picture = document.createElementNS(space, "svg");
        picture.setAttribute("viewBox", `0 0 ${width} 100`);
        picture.setAttribute("preserveAspectRatio", "none");
        picture.setAttribute("aria-hidden", "true");
        for (const row of rows) {
          const path = document.createElementNS(space, "path");
          path.setAttribute("class", row.style);
          picture.append(path);
        }
        place.append(picture);
      }
      rows.forEach((row, place) => {
        let path = "";
        row.values.forEach((value, x) => {
          if (value > 0) path += `M${x + (row.shift ?? 0)} 100v${-Math.max(1, 98 * value / top).toFixed(1)}h${row.width ?? 0.9}V100z`;
        });
        if (picture.children[place].getAttribute("d") !== path) picture.children[place].setAttribute("d", path);
      });
    }
    const highest = values => values.reduce((one, other) => Math.max(one, other ?? 0), 0);

    """#

  /// The horizon, its waves, and the button that spreads one.
  private static let waves = #"""
    let rows = [];
    function showHorizon(horizon) {
      for (const span of [10, 60, 600, 3600]) say(`within-${span}`, whole.format(horizon.within[span]));
      say("later", whole.format(horizon.later));
      say("overdue", whole.format(horizon.overdue));
      const isWave = place => horizon.waves.some(wave =>
        place * horizon.bucket_s < wave.in_s + wave.lasts_s && (place + 1) * horizon.bucket_s > wave.in_s);
      const top = highest(horizon.buckets);
      draw("horizon", horizon.buckets.length, [
        { style: "one", values: horizon.buckets.map((count, place) => isWave(place) ? 0 : count) },
        { style: "three", values: horizon.buckets.map((count, place) => isWave(place) ? count : 0) },
      ], top);
      say("horizon-top", top ? `The highest: ${whole.format(top)}.` : "No token ends within the hour.");
      byID("horizon").setAttribute("aria-label", top
        ? `Tokens that end in each ten seconds of the next hour: ${whole.format(horizon.within[3600])} in all, ${whole.format(top)} at most.`
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
        row.button.setAttribute("aria-label", `Spread the wave of ${whole.format(wave.tokens)} tokens`);
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
    function rowOfWave() {
      const item = document.createElement("li");
      const row = { item, text: element("span", "", item), button: element("button", "Spread", item), until: 0 };
      row.button.type = "button";
      row.button.addEventListener("click", () => spread(row));
      return row;
    }
    function setBusy(row, milliseconds, text) {
      row.until = milliseconds ? performance.now() + milliseconds : 0;
      row.button.setAttribute("aria-disabled", String(milliseconds > 0));
      row.button.textContent = text;
    }
    // The order cannot be taken back: a second press within ten seconds gives it.
    function calm(row) {
      row.asked = 0;
      if (!row.until) row.button.textContent = "Spread";
    }
    async function spread(row) {
      if (row.until) return;
      if (!row.asked) {
        row.asked = performance.now() + 10000;
        row.button.textContent = "Spread now?";
        return say("said", `Press again to ask ${whole.format(row.wave.tokens)} sessions for their next tokens before they end.`);
      }
      row.asked = 0;
      setBusy(row, 60000, "Spreading…");
      try {
        const answer = await order("horizon/spread", { from: row.wave.from, before: row.wave.before });
        if (!answer.ok) {
          setBusy(row, 0, "Spread");
          return say("said", answer.status === 401 ? "Your session has ended: load the page again to log in." : `Not spread: ${await refusal(answer)}`);
        }
        const { sessions, over_s: over } = await answer.json();
        if (sessions) setBusy(row, Math.max(2000, over * 1000), "Is being spread"); else setBusy(row, 0, "Spread");
        say("said", sessions
          ? `${whole.format(sessions)} sessions are asked for their next tokens, one after the other, over ${lasting(over)}.`
          : "Nobody was left to be asked: those sessions have been asked already, or are going to be.");
      } catch {
        setBusy(row, 0, "Spread");
        say("said", "The gateway does not answer; whether the wave is being spread will show here.");
      }
    }

    """#
}
