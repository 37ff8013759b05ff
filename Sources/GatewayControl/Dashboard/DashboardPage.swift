internal import GatewayCore

/// The files of the dashboard, which are embedded at build. They are the same for every client; the gateway's data comes by
/// the feed, and the script writes it as text.
enum DashboardPage {
  static let style = PackageResources.style_css
  /// The script. It writes text, never markup, and requests nothing but the port's own resources.
  static let script =
    PackageResources.page_js + PackageResources.charts_js + PackageResources.waves_js + PackageResources.sessions_js
    + PackageResources.feed_js

  /// Returns the dashboard's page.
  ///
  /// - Parameters:
  ///   - root: The relative path from the page's folder to the control port's.
  ///   - hasLogin: Whether its user may log out.
  static func dashboard(root: String, hasLogin: Bool) -> [UInt8] {
    let logout = hasLogin ? #"<button type="button" id="logout">Log out</button>"# : ""
    return filled(PackageResources.dashboard_html, [("{{root}}", root), ("{{logout}}", logout)])
  }

  /// Returns the login page.
  static func login(root: String) -> [UInt8] {
    filled(PackageResources.login_html, [("{{root}}", root)])
  }

  /// Returns the page with each mark replaced by its value, which is the gateway's own and needs no escaping.
  private static func filled(_ page: [UInt8], _ values: [(mark: String, value: String)]) -> [UInt8] {
    let text = String(decoding: page, as: UTF8.self)
    return Array(values.reduce(text) { $0.replacing(bytesOf: $1.mark, with: $1.value) }.utf8)
  }
}
