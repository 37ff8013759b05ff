/// The script of the dashboard. It writes text, never markup, and requests nothing but the port's own resources.
enum DashboardScript {
  static let text = words + drawing + waves + sessions + feed

  /// Shared helpers: elements, numbers, times.
  private static let words = #"""
    "use strict";
    const byID = id => document.getElementById(id);
    const root = document.body.dataset.root;
    const whole = new Intl.NumberFormat("en");
    const sum = counts => Object.values(counts).reduce((one, other) => one + other, 0);
    const say = (id, text) => { const place = byID(id); if (place.textContent !== text) place.textContent = text; };
    const show = (id, isShown) => { byID(id).hidden = !isShown; };
    const clock = seconds => new Date(seconds * 1000).toLocaleTimeString("en-GB");
    const loggedOut = "Your session has ended: load the page again to log in.";
    const order = (path, body, method = "POST") => fetch(path, {
      method, headers: { "Content-Type": "application/json", "X-Postern-Dashboard": "1" }, body: JSON.stringify(body),
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
      const hours = Math.floor(rounded / 3600), minutes = Math.floor(rounded / 60) % 60;
      if (hours >= 48) return `${Math.floor(hours / 24)} d${hours % 24 ? ` ${hours % 24} h` : ""}`;
      if (rounded > 3600) return `${hours} h${minutes ? ` ${minutes} min` : ""}`;
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

  /// Charts of bars, one bar for each value, with one SVG path for each kind.
  private static let drawing = #"""
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

    """#
}
