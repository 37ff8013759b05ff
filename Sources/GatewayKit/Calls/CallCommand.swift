package import GatewayCore

/// A client's wish about a call, in those vendors' wires that have a word for it: to join `default:standup`, say.
package enum CallCommand: Hashable, Sendable {
  case join(CallID)
  case leave(CallID)
  /// `content` is one JSON value, passed on as it came.
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

/// Something that happens in a call and is told to its members: that bob joined it, say.
package struct CallEvent: Hashable, Sendable {
  /// The kind of thing that happened in a call: a member left, for instance.
  package enum Kind: Hashable, Sendable {
    case memberJoined
    case memberLeft
    /// Members came and went in a crowd, which is told how many it has now, and not of each.
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

/// A wire format that has words for calls, the gateway's own for instance.
package protocol CallDialect: Dialect {
  /// What the call's members are told; nil for what the format has no words for.
  func encode(_ event: CallEvent) -> Frame?

  /// What a client is told whose command has been done; nil for nothing.
  func answer(to command: CallCommand, request: RequestID?) -> Frame?
}

extension GatewayServices {
  /// Tells the call's members, whichever wire they speak, but not `speaker`.
  package func announce(_ event: CallEvent, except speaker: ConnectionID? = nil) {
    let frames = frames { ($0 as? any CallDialect)?.encode(event) }
    announce(Announcement(to: .call(event.call), except: speaker, frames))
  }
}
