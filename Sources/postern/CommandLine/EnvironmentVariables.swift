import GatewayKit

/// The environment variables whose names begin with `POSTERN_`, e.g. `POSTERN_PORT=8080` for `--port 8080`.
enum EnvironmentVariables {
  private static let prefix = "POSTERN_"

  /// Returns those of the variables, without the ones that Kubernetes sets.
  static func ours(_ environment: [String: String]) -> [String: String] {
    environment.filter { name, value in name.hasPrefix(prefix) && !ServiceLink.isOne(name, value) }
  }

  /// Throws for a variable that no command reads, since it would set nothing without notice.
  ///
  /// The error suggests similar variables, first the variables of the command's own `flags`.
  ///
  /// - Parameter unread: ``ours(_:)``, without the variables of `flags` and of `--config`.
  static func check(_ unread: [String: String], flags: [Flag], among commands: [any Command.Type]) throws {
    // The flags of all commands are made only if they are asked for.
    guard !unread.isEmpty else { return }
    let own = flags.map(\.environmentName)
    let all = own + commands.flatMap { $0.flags.map(\.environmentName) }
    let known = Set(all + commands.flatMap { $0.variables })
    for name in unread.keys.sorted() where !known.contains(name) {
      let word = String(name.dropFirst(prefix.count))
      // Compares the names without their common prefix.
      let near = [own, all].lazy.map { names in
        Suggestion.near(word, among: Set(names).map { String($0.dropFirst(prefix.count)) })
      }.first { !$0.isEmpty }
      throw UsageError(
        "\(name): no command reads this variable" + Suggestion.question((near ?? []).map { prefix + $0 }))
    }
  }
}

/// A variable that Kubernetes sets in a pod for each Service of its namespace (as Docker's links did), and that is no flag.
///
/// A Service named `postern` sets e.g. `POSTERN_SERVICE_HOST`, `POSTERN_PORT=tcp://10.0.0.1:8080` and
/// `POSTERN_PORT_8080_TCP_ADDR`.
///
/// <https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables>
enum ServiceLink {
  private static let protocols = ["tcp", "udp", "sctp"]

  static func isOne(_ name: String, _ value: String) -> Bool {
    if name.hasSuffix("_PORT") && protocols.contains(where: { value.hasPrefix("\($0)://") }) { return true }
    let words = name.split(separator: "_")
    for (index, word) in words.enumerated().dropFirst() {
      let rest = words.dropFirst(index + 1)
      if word == "SERVICE", rest.first == "PORT" || rest.elementsEqual(["HOST"]) { return true }
      if word == "PORT", rest.count > 1, rest.first.flatMap({ UInt16($0) }) != nil,
        protocols.contains(rest.dropFirst().first?.lowercased() ?? "")
      {
        return true
      }
    }
    return false
  }
}
