import GatewayCore
import GatewayKit

/// The real gateway behind a proxy at which a conformance run tries its client, as the flags say.
struct ConformUpstream: Sendable {
  /// The address, e.g. `wss://realtime.staging.example`.
  let url: String
  /// The options of a route that are about the application's token endpoint.
  let settings: [JSONMember]
  /// The endpoint's path on the route; nil if the proxy does not see its calls.
  let tokenPath: String?
  /// Whether the gateway is on this machine.
  let isLocal: Bool

  /// Checks the flags; nil without `--upstream`.
  init?(_ draft: ConformOptions.Draft) throws {
    guard let upstream = draft.upstream else {
      if let flag = draft.tokens ?? draft.tokenRoute ?? draft.tokenAt {
        throw UsageError("\(flag.source) goes with --upstream")
      }
      return nil
    }
    let address = try ProxyAddress(upstream)
    (url, isLocal) = (upstream.text, PinnedHost.isThisMachine(address.host))
    var settings: [JSONMember] = []
    for (name, value) in [("tokens", draft.tokens), ("token-route", draft.tokenRoute), ("token-at", draft.tokenAt)] {
      if let value { settings.append(JSONMember(name, value.text)) }
    }
    self.settings = settings
    tokenPath =
      draft.tokenRoute.flatMap { $0.text.split(separator: " ").last.map(String.init) }
      ?? draft.tokens.flatMap { WebAddress($0.text)?.path }
  }

  /// Returns why a behaviour cannot be tried at a real gateway; nil if it can.
  ///
  /// - Parameter how: How clients of the wire renew. Clients with a timer are told a shorter life.
  func reason(against behaviour: Behaviour, _ how: RefreshHabit.How) -> String? {
    guard behaviour.isFrozen, how != .timer || behaviour.timed == nil else { return nil }
    return "the time of a real gateway cannot be moved"
  }
}
