const pageOfSessions = 50, sessionsMax = 1000;
let picked = null, pickedBy = null, fingerprints = new Map();
function pick(title, query, by) {
  picked = { query, limit: pageOfSessions };
  pickedBy = by;
  byID("session-rows").replaceChildren();
  say("sessions-title", title);
  say("sessions-said", "");
  show("sessions", true);
  byID("sessions-title").focus();
  listSessions();
}
function shutSessions() {
  picked = null;
  show("sessions", false);
  (pickedBy?.isConnected ? pickedBy : byID("who")).focus();
}
async function listSessions() {
  const wanted = picked;
  if (!wanted || wanted.isAsking) return;
  wanted.isAsking = true;
  try {
    const query = new URLSearchParams({ ...wanted.query, limit: wanted.limit });
    const answer = await fetch(`sessions?${query}`, { headers: { "X-Postern-Dashboard": "1" } });
    if (picked !== wanted) return;
    if (!answer.ok) return say("sessions-said", answer.status === 401 ? loggedOut : await refusal(answer));
    const page = await answer.json();
    if (picked === wanted) showSessions(page.sessions, page.next, page.nodes_missing ?? []);
  } catch { if (picked === wanted) say("sessions-said", "The gateway does not answer."); } finally { wanted.isAsking = false; }
}
function showSessions(sessions, next, missing) {
  const body = byID("session-rows"), hadFocus = body.contains(document.activeElement);
  fingerprints = new Map(sessions.map(session => [session.id, session.token_fingerprint]));
  keep(body, sessions, session => `${session.id} ${session.user_id ?? ""}`, rowOfSession, session => [
    session.phase.replaceAll("_", " "),
    session.expires_in_ms === undefined ? "–" : session.expires_in_ms < 0 ? "has ended" : lasting(session.expires_in_ms / 1000),
    session.dialect, session.user_kind ?? "–", lasting(session.age_ms / 1000), session.peer, session.id,
  ]);
  if (hadFocus && !body.contains(document.activeElement)) byID("sessions-title").focus();
  show("sessions-table", sessions.length);
  show("sessions-more", next !== undefined && picked.limit < sessionsMax);
  say("sessions-count", (sessions.length
    ? `${next === undefined ? "All" : "The first"} ${whole.format(sessions.length)}.`
    : "No session is left here.") + (missing.length ? ` No answer from ${missing.join(", ")}.` : ""));
  hint("sessions-table", "sessions-hint");
}
function rowOfSession(row, session) {
  const user = session.user_id ?? "not logged in", cell = element("td", "", row), path = `sessions/${encodeURIComponent(session.id)}`;
  row.firstElementChild.textContent = user;
  const add = (text, name, ...what) => button(text, cell, () => act(name, ...what)).setAttribute("aria-label", `${name}: ${user}`);
  add("Expire", "Expire the token", user, `${path}/expire`, {}, "the token has expired; the gateway asks for the next.");
  if (session.token_fingerprint) {
    add("Revoke", "Revoke the token", user, "revocations", () => ({ token_fingerprint: fingerprints.get(session.id) }), "the token is revoked.");
  }
  add("Disconnect", "Disconnect", user, `${path}/disconnect`, {}, "the connection is closed.");
}
async function act(name, user, path, body, done) {
  try {
    const answer = await order(path, typeof body === "function" ? body() : body);
    if (answer.ok) {
      const { sessions } = await answer.json();
      say("sessions-said", `${user}: ${sessions ? done : "no session was reached."}`);
    } else say("sessions-said", answer.status === 401 ? loggedOut : `${name}, ${user}: ${await refusal(answer)}`);
  } catch { return say("sessions-said", `${name}, ${user}: the gateway does not answer.`); }
  listSessions();
}
// Rows stay the rows that they are, with their buttons and the focus. What `make` adds to the first cell is not touched.
function keep(body, items, keyOf, make, cells) {
  const old = new Map([...body.children].map(row => [row.dataset.key, row]));
  items.forEach((item, place) => {
    const key = keyOf(item), known = old.get(key), row = known ?? document.createElement("tr");
    old.delete(key);
    if (!known) {
      row.dataset.key = key;
      element("th", "", row).scope = "row";
      make(row, item);
      row.dataset.fixed = row.children.length;
    }
    const values = cells(item), fixed = Number(row.dataset.fixed);
    while (row.children.length > fixed + values.length) row.lastChild.remove();
    values.forEach((value, column) => {
      const cell = row.children[fixed + column] ?? element("td", "", row), text = typeof value === "number" ? whole.format(value) : value;
      if (cell.textContent !== text) cell.textContent = text;
    });
    if (body.children[place] !== row) body.insertBefore(row, body.children[place] ?? null);
  });
  for (const row of old.values()) row.remove();
}
// Says that a table goes on at its side, where it does.
function hint(box, text) { show(text, byID(box).scrollWidth > byID(box).clientWidth + 1); }
