package import GatewayCore

/// Decides the fate of what is sent to the application's own servers, where faults are ordered.
package protocol OutboundObjector: Sendable {
  /// Returns the fate of a question, after the time that it has to wait, at `end` at the latest. Only from a task on the loop.
  ///
  /// - Parameter end: The end of the question's time, in the time of the network.
  nonisolated(nonsending) func fate(of question: OutboundQuestion, until end: Instant) async -> OutboundFate

  /// Returns what happens to a webhook; nil for nothing. Only on the loop.
  func harm(toWebhookOf vendor: String) -> WebhookHarm?
}

/// The fate of a question to one of the application's own servers.
package enum OutboundFate: Sendable {
  /// It is asked as ever.
  case asked
  /// It is asked as ever, and this makes another answer of the server's.
  case altered(@Sendable (HTTPResponse) -> HTTPResponse)
  /// This is the answer, and the server is not asked.
  case answered(HTTPResponse)
  /// The server is not asked, and nothing comes.
  case unanswered
}

/// The effect of a fault on a webhook.
package enum WebhookHarm: Hashable, Sendable {
  /// It is sent later by this duration.
  case late(Duration)
  /// It is not sent, and counts as delivered.
  case lost
  /// It is sent once more after it has been delivered.
  case twice
  /// It is sent after the next one about the same thing, if that comes within this duration.
  case behindNext(Duration)
  case unsigned
  /// Its signature is as by another key.
  case signedByOther
}

/// A server of the application's own, by what it is asked for.
package struct OutboundPlace: Hashable, Sendable {
  package enum Kind: Sendable {
    /// The keys of an issuer.
    case keys
    /// Opaque tokens.
    case introspection
    /// The application's backend, which decides.
    case hook
    /// The receiver of a vendor's webhooks.
    case webhook
  }

  package let kind: Kind
  /// The issuer's name, the hook's, or the vendor's; empty where there is one only.
  package let name: Name

  package init(_ kind: Kind, _ name: String = "") { (self.kind, self.name) = (kind, Name(name)) }
}

/// A question to one of the application's own servers, and the user that it is about.
package struct OutboundQuestion: Sendable {
  package let place: OutboundPlace
  /// Nil for a question that no connection causes alone.
  package let connection: ConnectionID?
  package let dialect: String?
  /// Nil if the user is not known.
  package let user: UserID?
  package let kind: UserKind?
  /// The end of the user's token; nil for never, or if it is not known.
  package let expiresAt: WallTime?

  package init(
    to place: OutboundPlace, of connection: ConnectionID? = nil, speaking dialect: String? = nil,
    about user: UserID? = nil, _ kind: UserKind? = nil, until expiresAt: WallTime? = nil
  ) {
    (self.place, self.connection, self.dialect) = (place, connection, dialect)
    (self.user, self.kind, self.expiresAt) = (user, kind, expiresAt)
  }
}
