internal import CBuildCommit
internal import GatewayCore
package import GatewayRuntime

/// The parts of this build: its commit and the versions of the libraries and the compiler.
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

  /// The commit that a release was built from, e.g. `e417a76`; nil if the build did not set it.
  package static var commit: String? {
    let text = String(cString: postern_build_commit())
    return text.isEmpty ? nil : text
  }

  package static func write(to page: inout PrometheusText) {
    page.gauges(
      "postern_build_info", "The versions of this build, as labels; always 1.",
      labels: ["version", "commit", "swift", "libwebsockets"],
      [([GatewayDescription.currentVersion, commit ?? "unknown", swift, LibraryVersion.text], 1)])
  }
}
