"use strict";
const storm = document.getElementById("storm");
const state = document.getElementById("state");
const events = new EventSource("/events");
function show(content, name, words) {
  storm.innerHTML = content;
  document.body.dataset.state = name;
  state.textContent = words;
}
events.addEventListener("storm", (event) => show(event.data, "live", "live"));
events.addEventListener("over", (event) => {
  events.close();
  show(event.data, "over", "the storm is over; these are the figures of its report");
});
events.addEventListener("error", () => {
  if (document.body.dataset.state !== "over") state.textContent = "nothing comes any more: the storm was ended, or is busy";
});
