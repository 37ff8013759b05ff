internal import GatewayCore
package import GatewayRuntime

/// The hooks: where the application's own backend is asked, and how.
package struct HookSettings: Sendable {
  /// Who judges a client that connects.
  package enum Judge: String, CaseIterable, Sendable {
    /// The backend, after its token has been verified.
    case after
    /// The backend alone.
    case instead
  }

  /// Who has a session's refresh begin.
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
  /// How long one question may take, with its repetition.
  package var timeout = Duration.seconds(3)
  /// How long a session goes on from a question about it that the backend does not answer.
  package var grace = Duration.seconds(60)
  /// How long sessions go on that way; nil for as long as their tokens.
  package var graceMax: Duration? = .seconds(3_600)
  /// How many postponed questions are asked a second.
  package var recoverRate = 200

  /// What the backend knows the gateway by.
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

  /// Returns the address of a hook; nil if it is off.
  func address(of hook: Hook) -> EndpointAddress? {
    switch hook {
    case .connect: connect
    case .refresh: refresh
    case .commands: commands
    }
  }
}
