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
  const secret = /** @type {HTMLInputElement} */ (byID("secret"));
  byID("login").addEventListener("submit", async event => {
    event.preventDefault();
    say("refused", "");
    try {
      const answer = await order(root + "dashboard/login", { secret: secret.value });
      if (answer.ok) return location.reload();
      say("refused", await refusal(answer));
    } catch { say("refused", "The gateway does not answer."); }
    secret.select();
  });
}
async function logOut() {
  try { await order(root + "dashboard/logout", {}); } catch { return say("said", "The gateway does not answer; you are not logged out."); }
  location.reload();
}
