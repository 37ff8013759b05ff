package import GatewayCore

// The facts about a connection that others on its loop may read.

extension Connection {
  /// The login of a connection: its user, kind and expiry.
  package struct Facts: Hashable, Sendable {
    package let user: UserID
    package let kind: UserKind
    /// Nil for ever.
    package let expiresIn: Duration?

    package init(user: UserID, kind: UserKind, expiresIn: Duration?) {
      (self.user, self.kind, self.expiresIn) = (user, kind, expiresIn)
    }
  }

  /// Nil before the login. Only on the loop.
  package nonisolated var facts: Facts? {
    onLoop { connection in
      connection.standing.grant.map { Facts(user: $0.user, kind: $0.kind, expiresIn: connection.context.expiresIn) }
    }
  }

  /// Why a token that verifies is not good here all the same; nil if it is.
  func refusal(of token: VerifiedToken) -> GatewayError? {
    guard let refusal = table.refusal(of: token) else { return nil }
    // A logged-in client is told that the token is not renewed.
    return standing.grant == nil || refusal.isSame(as: .tokenRevoked) || refusal.isUnjudged ? refusal : nil
  }

  /// The facts about the connection that its dialect may read. Only on the loop.
  package nonisolated var dialectContext: DialectContext { onLoop { $0.context } }

  /// Returns the meaning of a message that arrives now. Only on the loop.
  package nonisolated func meaning(of payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> JournalMessage {
    nonisolated(unsafe) let payload = payload
    return onLoop { connection in
      if let conversation = connection.conversation {
        return conversation.foresee(payload, connection.context)?.meaning ?? .idle
      }
      do throws(GatewayError) {
        let dialect = connection.dialect(for: payload, kind)
        return try dialect.decode(payload, kind, connection.context)?.meaning ?? .idle
      } catch {
        return .malformed
      }
    }
  }
}
