package import GatewayCore

extension HTTPRequest {
  /// Whether a browser's WebSocket sent the upgrade, or one with a browser's interface: it tells its scripts that the upgrade
  /// failed, and not with which status.
  package var isOfBrowser: Bool {
    if let mode = header("sec-fetch-mode"), Name(mode) == Name("websocket") { return true }
    return header("origin") != nil && (header("user-agent") ?? "").hasPrefix("Mozilla/")
  }
}
