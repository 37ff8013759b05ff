internal import GatewayCore
import GatewayFleet

/// The page that updates during a storm: a constant frame, and a content that is sent again.
package enum LivePage {
  /// The frame. Its script and style sheet are on the same port.
  package static let frame = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>A storm, live</title>
    <link rel="stylesheet" href="/live.css">
    <script src="/live.js" defer></script>
    </head>
    <body data-state="waiting">
    <p id="state" role="status">waiting for the storm</p>
    <main id="storm"></main>
    <noscript>This page moves by a script of its own.</noscript>
    </body>
    </html>

    """

  package static let sheet = HTMLStyle.sheet + "#state { margin: 0 0 12px; color: var(--faint); }\n"

  /// The script. The content is the report's own markup, in which all foreign text is escaped.
  package static let script = """
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

    """
}

extension StormReport {
  /// The content of the live page: all that is known so far, drawn as in the report.
  package var live: String {
    let tiles = Self.liveFigures.map { name, words in
      "<div><b data-metric=\"\(name)\">\(Escaping.markup(figure(name)))</b><span>\(Escaping.markup(words))</span></div>"
    }
    return """
      \(header)
      <section class="tiles"><div><b data-figure="connected">\(Figures.count(connectedNow))</b><span>connected</span></div>\
      \(tiles.joined())</section>
      \(thresholdSection)
      <section class="charts">
      \(charts.joined(separator: "\n"))
      </section>
      """
  }

  /// Logins minus ends.
  private var connectedNow: Int { max(0, result.connects.accepted - result.disconnects.total) }

  /// The figures that a storm has before it is over.
  private static let liveFigures = [
    ("connects.ok", "logins"), ("connects.failed", "not let in"), ("refresh.asked", "asked for a token"),
    ("refresh.accepted", "refreshed"), ("cut_off", "cut off"), ("refresh.p99", "refresh p99"),
    ("provider.calls", "calls of the provider"), ("provider.refused", "brought no token"),
    ("provider.refresh_peak", "provider's peak per second"),
  ]
}
