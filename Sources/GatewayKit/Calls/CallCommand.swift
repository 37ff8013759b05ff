package import GatewayCore

/// A client's command about a call, for the wire formats that have such commands.
package enum CallCommand: Hashable, Sendable {
  case join(CallID)
  case leave(CallID)
  /// `content` is one JSON value, passed on unchanged.
  case publish(CallID, content: String)

  package var call: CallID {
    switch self {
    case .join(let call), .leave(let call), .publish(let call, _): call
    }
  }
}

extension Command {
  package init(_ command: CallCommand) {
    switch command {
    case .join: self.init("join", command)
    case .leave: self.init("leave", command)
    case .publish: self.init("publish", command)
    }
  }
}

/// An event in a call, which the gateway sends to the call's members.
package struct CallEvent: Hashable, Sendable {
  /// The kind of an event.
  package enum Kind: Hashable, Sendable {
    case memberJoined
    case memberLeft
    /// Members joined or left a crowd. Its members receive the new number of members, not single joins and leaves.
    case crowdChanged(members: Int)
    /// `content` is one JSON value, as its publisher wrote it.
    case message(content: String)
  }

  package var call: CallID
  package var user: UserID
  package var kind: Kind

  package init(call: CallID, user: UserID, kind: Kind) {
    self.call = call
    self.user = user
    self.kind = kind
  }
}

/// A wire format that has messages for calls.
package protocol CallDialect: Dialect {
  /// Returns the frame for the call's members; nil if the format has no message for the event.
  func encode(_ event: CallEvent) -> Frame?

  /// Returns the reply to a client whose command has run; nil for no reply.
  func answer(to command: CallCommand, request: RequestID?) -> Frame?
}

extension GatewayServices {
  /// Sends the event to the call's members over every wire format, except to `speaker`.
  package func announce(_ event: CallEvent, except speaker: ConnectionID? = nil) {
    let frames = frames { ($0 as? any CallDialect)?.encode(event) }
    announce(Announcement(to: .call(event.call), except: speaker, frames))
  }
}
