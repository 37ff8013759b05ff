internal import GatewayCore
import GatewayFleet

/// The page that updates during a storm: a constant frame, and a content that is sent again.
package enum LivePage {
  /// The frame. Its script and style sheet are on the same port.
  package static let frame = PackageResources.live_html

  package static let sheet = Array(HTMLStyle.sheet.utf8) + PackageResources.live_css

  /// The script. The content is the report's own markup, in which all foreign text is escaped.
  package static let script = PackageResources.live_js
}

extension StormReport {
  /// The content of the live page: everything known so far, drawn as in the report.
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
