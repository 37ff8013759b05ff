internal import GatewayCore
package import GatewayRuntime

/// What this build of the gateway is made of.
package enum BuildInfo {
  /// The compiler's version, as far as a source file can know it.
  private static var swift: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  package static func write(to page: inout PrometheusText) {
    page.gauges(
      "postern_build_info", "What this build is made of; always 1.", labels: ["version", "swift", "libwebsockets"],
      [([GatewayDescription.currentVersion, swift, LibraryVersion.text], 1)])
  }
}
