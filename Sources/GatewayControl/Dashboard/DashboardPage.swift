/// The pages of the dashboard. They are the same for every client; the gateway's data comes by the feed, and the script
/// writes it as text.
enum DashboardPage {
  /// Returns the dashboard's page.
  ///
  /// - Parameters:
  ///   - root: The relative path from the page's folder to the control port's.
  ///   - hasLogin: Whether its user may log out.
  static func dashboard(root: String, hasLogin: Bool) -> String {
    let logout = hasLogin ? #"<button type="button" id="logout">Log out</button>"# : ""
    return head("Postern", root: root, assets: "dashboard")
      + """
      <header>
      <h1>Postern</h1>
      <p><b id="state" role="status" data-state="connecting">connecting</b> <span id="when"></span> <span id="about"></span></p>
      <nav aria-label="This page"><button type="button" id="pause" aria-pressed="false">Pause</button>\(logout)</nav>
      </header>
      <noscript><p>This page reads the gateway's figures with a script; yours is switched off.
      <a href="metrics">The same figures as text.</a></p></noscript>
      <main>
      <section aria-labelledby="now"><h2 id="now">Now</h2>
      <div class="tiles">\(tiles)</div></section>
      <section aria-labelledby="horizon-title"><h2 id="horizon-title" tabindex="-1">The horizon: tokens that end within the hour</h2>
      <div class="tiles">\(horizonTiles)</div>
      <figure>\(plot("horizon", ["now", "15 min", "30 min", "45 min", "1 h"]))
      <figcaption>Tokens that end, each bar <span id="horizon-bar">10 s</span>: <i class="wave"></i>in a wave, <i class="token"></i>others. <span id="horizon-top"></span></figcaption></figure>
      <h3>The next waves</h3>
      <ol id="waves" aria-label="The next waves"></ol>
      <p id="no-waves" class="empty">Nothing is known yet.</p>
      <div id="spreading" hidden><h3>Being spread</h3>
      <ol id="spreads" aria-label="Being spread"></ol></div>
      <p id="said" role="status"></p></section>
      <section aria-labelledby="rates"><h2 id="rates">The last five minutes</h2>
      <div class="charts">
      <figure>\(plot("refreshes", ["5 min ago", "2.5 min", "now"]))
      <figcaption>Refreshes, each bar <span id="refreshes-bar">5 s</span>: <i class="asked"></i>asked for, <i class="good"></i>accepted. <span id="refreshes-top"></span></figcaption></figure>
      <figure>\(plot("cut-offs", ["5 min ago", "2.5 min", "now"]))
      <figcaption>Connections that the gateway ended, each bar <span id="cut-offs-bar">5 s</span>: <i class="cut"></i>cut off. <span id="cut-offs-top"></span></figcaption></figure>
      </div>
      <h3>As it happened, the newest first</h3>
      <ol id="events" aria-label="As it happened, the newest first"></ol>
      <p id="no-events" class="empty">Nothing has happened since this page was opened.</p></section>
      <section aria-labelledby="who"><h2 id="who" tabindex="-1">Who is connected</h2>
      <div id="dialects-table" class="scroll" role="region" aria-labelledby="who" tabindex="0"><table><thead id="dialect-names"></thead><tbody id="dialects"></tbody></table></div>
      <p id="dialects-hint" class="empty" hidden>The table goes on at its side: scroll it.</p>
      <p id="nobody" class="empty">Nobody is connected.</p></section>
      <section id="sessions" aria-labelledby="sessions-title" hidden><div class="head"><h2 id="sessions-title" tabindex="-1"></h2>
      <button type="button" id="sessions-shut">Close the list</button></div>
      <p id="sessions-count" class="empty"></p>
      <p id="sessions-hint" class="empty" hidden>The table goes on at its side: scroll it.</p>
      <div id="sessions-table" class="scroll" role="region" aria-labelledby="sessions-title" tabindex="0"><table>
      <thead><tr><th scope="col">User</th><th scope="col">Orders</th><th scope="col">phase</th><th scope="col">token ends in</th><th scope="col">dialect</th><th scope="col">kind</th><th scope="col">connected for</th><th scope="col">from</th><th scope="col">session</th></tr></thead>
      <tbody id="session-rows"></tbody></table></div>
      <button type="button" id="sessions-more" hidden>Show more</button>
      <p id="sessions-said" class="said" role="status"></p></section>
      <section aria-labelledby="provider-title"><h2 id="provider-title">The built-in token provider</h2>
      <div class="tiles">\(providerTiles)</div>
      <p class="empty">A provider of your own is not seen here; how long clients take for their next tokens tells of it.</p></section>
      </main>
      </body></html>

      """
  }

  /// Returns the login page.
  static func login(root: String) -> String {
    head("Postern: log in", root: root, assets: root + "dashboard")
      + """
      <main class="login"><h1>Postern</h1>
      <form id="login" aria-label="Log in">
      <label for="secret">The control secret</label>
      <input id="secret" name="secret" type="password" autocomplete="current-password" required autofocus>
      <button type="submit">Log in</button>
      <p id="refused" role="alert"></p>
      <noscript><p>Logging in takes a script; yours is switched off. Programs send the secret as a bearer token.</p></noscript>
      </form></main>
      </body></html>

      """
  }

  private static func head(_ title: String, root: String, assets: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="\(assets)/style.css">
    <script src="\(assets)/script.js" defer></script>
    </head><body data-root="\(root)">

    """
  }

  /// Returns a chart between its axes.
  private static func plot(_ id: String, _ ticks: [String]) -> String {
    """
    <div class="plot"><p class="scale" aria-hidden="true"><span id="\(id)-high"></span><span>0</span></p>
    <div id="\(id)" class="chart" role="img" aria-label="Nothing is known yet."></div>
    <p class="axis" aria-hidden="true">\(ticks.map { "<span>\($0)</span>" }.joined())</p></div>
    """
  }

  private static func tile(_ id: String, _ name: String) -> String {
    #"<p><b id="\#(id)">–</b><span>\#(name)</span></p>"#
  }

  private static let tiles = [
    tile("connections", "connected"), tile("users", "logged in"), tile("asked", "asked, not refreshed yet"),
    tile("refreshed", "refreshes a second"), tile("cut", "cut off a second"), tile("took", "for a refresh, of late"),
  ].joined()

  private static let horizonTiles = [
    tile("within-10", "end within 10 s"), tile("within-60", "within a minute"), tile("within-600", "within 10 min"),
    tile("within-3600", "within the hour"), tile("later", "later"), tile("overdue", "have ended, not replaced"),
  ].joined()

  private static let providerTiles = [
    tile("in-flight", "tokens in the making"), tile("queued", "requests that wait"), tile("minted", "tokens made"),
    tile("failed", "failed on purpose"), tile("overloaded", "turned away"),
  ].joined()
}
