const seconds = 300, eventsMax = 60, patience = 5000;
const pastSeconds = { asked: [], accepted: [], cut: [] };
let last = null, lastAt = 0, heardAt = 0, source = null, retries = 0, retryAt = 0, isPaused = false, waitsFor = "", takes = [];

function setState(state, text, when) {
  const place = byID("state");
  place.dataset.state = state;
  if (place.textContent !== text) place.textContent = text;
  say("when", when);
  document.body.classList.toggle("stale", state === "broken" || state === "paused");
}

function openFeed() {
  source = new EventSource("dashboard/feed");
  source.onmessage = event => take(JSON.parse(event.data));
  source.onerror = () => fail("the connection to the gateway has ended");
  heardAt = performance.now();
}
function shut() {
  source?.close();
  source = null;
}
async function fail(why) {
  if (!source) return;
  shut();
  waitsFor = why;
  retryAt = performance.now() + Math.min(15000, 1000 * 2 ** retries) * (0.75 + crypto.getRandomValues(new Uint8Array(1))[0] / 512);
  retries += 1;
  try {
    const answer = await fetch("dashboard/feed", { method: "HEAD" });
    if (answer.status === 401) return location.reload();
    if (answer.status === 429) waitsFor = "as many dashboards are open as may be";
  } catch { waitsFor = "the gateway does not answer"; }
}
function tick() {
  if (isPaused) return;
  const now = performance.now();
  if (source && now - heardAt > patience) fail("nothing was heard for five seconds");
  if (source) return;
  const seen = last ? `What is shown is of ${clock(last.time)}.` : "Nothing has been seen yet.";
  setState("broken", "disconnected", `${waitsFor}; tried again in ${lasting((retryAt - now) / 1000)}. ${seen}`);
  if (now >= retryAt) openFeed();
}
function pause() {
  isPaused = !isPaused;
  byID("pause").setAttribute("aria-pressed", String(isPaused));
  byID("pause").textContent = isPaused ? "Go on" : "Pause";
  shut();
  if (!isPaused) return openFeed();
  setState("paused", "paused", last ? `What is shown is of ${clock(last.time)}.` : "");
}

let seen = 0;
function push(row, values) {
  row.push(...values);
  row.splice(0, row.length - seconds);
}
const less = (now, before) => Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)]).filter(([, count]) => count > 0);
const listed = counts => counts.map(([name, count]) => `${name} ${whole.format(count)}`).join(", ");

// Counts are since the gateway's start: what happened is the difference of two readings.
function compare(reading, since) {
  const [now, before] = [reading.totals, last.totals];
  const gap = Math.max(0, Math.round(since / 1000) - 1), missed = Array(Math.min(seconds, gap)).fill(null);
  if (reading.number < last.number || Object.keys(now).some(name => now[name] < before[name])) {
    note(reading.time, "The gateway has been started anew.", true);
    takes = [];
    seen += missed.length + 1;
    return Object.values(pastSeconds).forEach(row => push(row, [...missed, null]));
  }
  const cuts = less(now.cut_off, before.cut_off), refused = less(now.refreshes_refused, before.refreshes_refused);
  const cut = cuts.reduce((count, end) => count + Number(end[1]), 0), denied = refused.reduce((count, one) => count + Number(one[1]), 0);
  const [asked, accepted] = [now.refresh_requests - before.refresh_requests, now.refreshes - before.refreshes];
  const [logins, strangers] = [now.logins - before.logins, now.logins_refused - before.logins_refused];
  // Which of the seconds that were missed they were in is not known: a reading that is late a bit has them all, behind a break
  // no second has.
  seen += missed.length + 1;
  for (const [row, count] of [[pastSeconds.asked, asked], [pastSeconds.accepted, accepted], [pastSeconds.cut, cut]]) {
    push(row, [...missed, since > patience ? null : count]);
  }
  say("refreshed", whole.format(Math.round(accepted / (gap + 1))));
  say("cut", whole.format(Math.round(cut / (gap + 1))));
  takes.push([now.refreshes_timed, now.refresh_seconds]);
  takes.splice(0, takes.length - 11);
  const [count, time] = [now.refreshes_timed - takes[0][0], now.refresh_seconds - takes[0][1]];
  if (count > 0) say("took", time / count < 1 ? `${Math.round(1000 * time / count)} ms` : `${(time / count).toFixed(1)} s`);
  const words = [];
  if (logins) words.push(`${whole.format(logins)} logged in`);
  if (strangers) words.push(`${whole.format(strangers)} logins refused`);
  if (asked) words.push(`${whole.format(asked)} asked for a token`);
  if (accepted) words.push(`${whole.format(accepted)} refreshed`);
  if (denied) words.push(`${whole.format(denied)} refreshes refused (${listed(refused)})`);
  if (cut) words.push(`${whole.format(cut)} cut off (${listed(cuts)})`);
  if (words.length) note(reading.time, words.join(" · ") + (gap ? `, within ${lasting(gap + 1)}` : ""), denied + cut > 0);
}
function note(time, text, isBad) {
  const item = document.createElement("li");
  element("time", clock(time), item);
  item.append(text);
  item.classList.toggle("bad", isBad);
  byID("events").prepend(item);
  while (byID("events").children.length > eventsMax) byID("events").lastChild.remove();
  show("no-events", false);
}

function take(reading) {
  const now = performance.now();
  if (last) compare(reading, now - lastAt);
  const stands = last && last.time === reading.time;
  lastAt = heardAt = now;
  retries = 0;
  const open = reading.dialects.map(dialect => sum(dialect.phases)).reduce((one, other) => one + other, 0);
  const users = reading.dialects.map(dialect => sum(dialect.kinds)).reduce((one, other) => one + other, 0);
  const asked = reading.dialects.map(({ phases }) => phases.refreshing + phases.verifying_refresh).reduce((one, other) => one + other, 0);
  say("connections", whole.format(open));
  say("users", whole.format(users));
  say("asked", whole.format(asked));
  if (!last) for (const id of ["refreshed", "cut"]) say(id, "0");
  last = reading;
  showWhich(reading);
  const provider = reading.provider;
  for (const [id, count] of [["in-flight", provider.in_flight], ["queued", provider.queued], ["minted", provider.minted], ["failed", provider.failed], ["overloaded", provider.overloaded]]) say(id, whole.format(count));
  showHorizon(reading.horizon);
  showSpreads(reading.spreads);
  showVouching(reading.vouching);
  showRates();
  showDialects(reading.dialects);
  if (reading.number % 4 === 0) listSessions();
  const when = clock(reading.time);
  if (reading.draining) setState("draining", "draining", `Nobody new is let in. ${when}`);
  else setState("live", "live", stands ? `${when}; the gateway's own time stands still.` : when);
  document.title = `${whole.format(open)} connected · Postern`;
}
// The bars of a row of seconds, `size` of them a bar: the same seconds stay together as time goes on.
function barsOf(row, size, shift, wide) {
  const sums = new Map(), first = seen - row.length;
  row.forEach((value, place) => {
    const slot = Math.floor((first + place) / size);
    if (value !== null) sums.set(slot, (sums.get(slot) ?? 0) + value);
  });
  return [...sums].map(([slot, sum]) => [slot * size - seen + seconds + shift * size, wide * size, sum]);
}
function showRates() {
  const size = shared("refreshes", seconds, 11, [5, 10, 15, 30]);
  const [wanted, had, ended] = [barsOf(pastSeconds.asked, size, 0.05, 0.42), barsOf(pastSeconds.accepted, size, 0.5, 0.42), barsOf(pastSeconds.cut, size, 0.1, 0.8)];
  const [asked, cut] = [Math.max(highest(wanted), highest(had)), highest(ended)];
  draw("refreshes", seconds, [{ style: "asked", bars: wanted }, { style: "good", bars: had }], Math.max(1, asked));
  draw("cut-offs", seconds, [{ style: "cut", bars: ended }], Math.max(1, cut));
  for (const id of ["refreshes-bar", "cut-offs-bar"]) say(id, lasting(size));
  say("refreshes-top", asked ? `At most ${whole.format(asked)}.` : "There were none.");
  say("cut-offs-top", cut ? `At most ${whole.format(cut)}.` : "There were none.");
  byID("refreshes").setAttribute("aria-label", `Refreshes in each ${size} seconds of the last five minutes, ${whole.format(asked)} at most.`);
  byID("cut-offs").setAttribute("aria-label", `Connections cut off in each ${size} seconds of the last five minutes, ${whole.format(cut)} at most.`);
}
// Only the columns that somebody is in, and those that say how a refresh goes.
function showDialects(dialects) {
  const used = dialects.filter(dialect => sum(dialect.phases));
  show("nobody", !used.length);
  const kinds = [...new Set(used.flatMap(dialect => Object.keys(dialect.kinds).filter(kind => dialect.kinds[kind])))];
  const phases = [...new Set(["active", "refreshing", ...used.flatMap(dialect => Object.keys(dialect.phases).filter(phase => dialect.phases[phase]))])];
  const names = used.length ? [["Dialect", "connected", ...kinds, ...phases.map(phase => phase.replaceAll("_", " "))]] : [];
  fill(byID("dialect-names"), names);
  keep(byID("dialects"), used, dialect => dialect.name, rowOfDialect, dialect => [
    sum(dialect.phases), ...kinds.map(kind => dialect.kinds[kind] ?? 0), ...phases.map(phase => dialect.phases[phase] ?? 0),
  ]);
  hint("dialects-table", "dialects-hint");
}
function rowOfDialect(row, { name }) {
  const made = button(name, row.firstElementChild, () => pick(`Sessions of ${name}`, { dialect: name }, made));
  made.className = "link";
}
function fill(head, lines) {
  const text = JSON.stringify(lines);
  if (head.dataset.shown === text) return;
  head.dataset.shown = text;
  head.replaceChildren(...lines.map(line => {
    const row = document.createElement("tr");
    for (const value of line) element("th", value, row).scope = "col";
    return row;
  }));
}

// The application's own servers: the age of keys, who is away, and the sessions that go on meanwhile.
function showVouching(vouching) {
  show("vouching", vouching);
  if (!vouching) return;
  const { issuers, servers, on_grace: onGrace } = vouching, away = new Set(servers.filter(each => each.away).map(each => each.name));
  const said = name => away.has(name) ? "is away, and is asked once a second" : "answers";
  const keysOf = ({ keys, age_s: age }) => `${whole.format(keys)} ${keys === 1 ? "key" : "keys"}, ` + (age === undefined ? "not read yet" : `confirmed ${lasting(age)} ago`);
  const names = new Set(issuers.map(each => each.name));
  const lines = [
    ...issuers.map(each => [each.name, `${keysOf(each)}; it ${said(each.name)}`]),
    ...servers.filter(each => !names.has(each.name)).map(each => [each.name, said(each.name)]),
  ];
  const text = JSON.stringify(lines), list = byID("vouchers");
  if (list.dataset.shown !== text) {
    list.dataset.shown = text;
    list.replaceChildren(...lines.map(([name, words]) => {
      const item = document.createElement("li");
      element("b", name.replaceAll("_", " "), item);
      item.append(` ${words}`);
      item.classList.toggle("bad", away.has(name));
      return item;
    }));
  }
  show("on-grace", onGrace);
  say("on-grace", `${whole.format(onGrace)} ${onGrace === 1 ? "session goes" : "sessions go"} on, on grace, because the backend cannot be asked.`);
}

// Which gateway this is, and for how long it has been up.
function showWhich({ version, space, uptime_s: uptime }) {
  say("about", [`postern ${version}`, space && `space ${space}`, location.host, `up ${lasting(uptime)}`].filter(Boolean).join(" · "));
}

if (byID("login")) prepareLogin();
else {
  byID("pause").addEventListener("click", pause);
  byID("logout")?.addEventListener("click", logOut);
  setInterval(tick, 500);
  byID("sessions-shut").addEventListener("click", shutSessions);
  byID("sessions-more").addEventListener("click", () => {
    picked.limit = Math.min(sessionsMax, picked.limit + pageOfSessions);
    listSessions();
  });
  openFeed();
}
