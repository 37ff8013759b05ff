package import GatewayCore
package import GatewayRuntime

/// The settings of the hooks, i.e. of the questions to the application's own backend.
package struct HookSettings: Sendable {
  /// The judge of a client that connects.
  package enum Judge: String, CaseIterable, Sendable {
    /// The backend, after its token has been verified.
    case after
    /// The backend alone.
    case instead
  }

  /// The side that begins a session's refresh.
  package enum Refresher: String, CaseIterable, Sendable {
    /// The client, which presents another token.
    case client
    /// The gateway, before the client would be asked for a token.
    case gateway
  }

  package var connect: EndpointAddress?
  package var refresh: EndpointAddress?
  package var commands: EndpointAddress?
  package var secrets = Secrets()
  /// The files for TLS; nil for the system's.
  package var tls: TLSIdentity?
  package var judge = Judge.after
  package var refresher = Refresher.client
  /// The names of the upgrade's header fields that the backend gets too, in lower case.
  package var headers: [String] = []
  /// The wire formats whose clients the backend is asked about; empty for all.
  package var dialects: Set<Name> = []
  /// Whether the backend may give a client another name than its token has.
  package var mayRename = false
  /// Whether the backend gets the tokens themselves. Only over TLS.
  package var sendsToken = false
  /// How long one question may take, with its repetition.
  package var timeout = Duration.seconds(3)
  /// The extension of a session after a question that the backend does not answer.
  package var grace = Duration.seconds(60)
  /// The maximum duration of such extensions; nil for no limit but the token's end.
  package var graceMax: Duration? = .seconds(3_600)
  /// The rate of postponed questions, a second.
  package var recoverRate = 200

  /// The secrets by which the backend recognises the gateway.
  package struct Secrets: Sendable {
    /// The key of the signatures; nil for none.
    package var signing: HookSecret?
    /// The bearer token of `Authorization`; nil for none.
    package var bearer: String?

    package init(signing: HookSecret? = nil, bearer: String? = nil) {
      self.signing = signing
      self.bearer = bearer
    }
  }

  package init() {}

  /// The names of the hooks that are asked.
  package var names: [String] { Hook.allCases.filter { address(of: $0) != nil }.map(\.rawValue) }

  /// Whether the backend is asked about clients of that wire format.
  func asks(about dialect: String) -> Bool { dialects.isEmpty || dialects.contains(Name(dialect)) }

  /// Returns the address of a hook; nil if it is off.
  func address(of hook: Hook) -> EndpointAddress? {
    switch hook {
    case .connect: connect
    case .refresh: refresh
    case .commands: commands
    }
  }
}
