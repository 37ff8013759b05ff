/// A message between the nodes of a gateway. It consists of values only.
package enum BusMessage: Hashable, Sendable {
  /// A message for the clients of every node.
  case announcement(Announcement)
  /// A message of a vendor to itself on the other nodes.
  case note(VendorNote)
  /// A question or an order to every node, with the number by which its sender knows it.
  case question(UInt64, BusQuestion)
  /// The answer to a question of that node, with the question's number.
  case answer(NodeBoot, UInt64, BusAnswer)
}

/// A question about the sessions of every node, or an order to them.
package enum BusQuestion: Hashable, Sendable {
  /// Which of these users are connected?
  case connected([UserID])
  /// How many sessions does the dialect have?
  case sessionCount(dialect: String)
  /// How many sessions do you have?
  case sessions
  /// Which user is the connection logged in as?
  case user(ConnectionID)
  /// Add the connection to the audience of the call.
  case watch(CallID, ConnectionID)
  /// Remove the connection from the audience of the call.
  case unwatch(CallID, ConnectionID)
  /// Which users are in the audience of the call?
  case audience(CallID)
  /// How many connections are in the audience of the call?
  case hearers(CallID)
  /// A vendor's order to the sessions that the filter selects.
  case control(SessionFilter, SessionOrder)
  /// An operator's order to sessions.
  case order(OrderTarget, SessionOrder)
  /// Remember a revocation, and tell the sessions that it covers.
  case revoke(Revocations.Target, isEnding: Bool)
  /// An order to the sessions whose tokens the target covers.
  case covered(Revocations.Target, SessionOrder)
  /// An operator's message to sessions.
  case say(OrderTarget, Saying)
  /// When do your tokens end?
  case horizon
  /// Ask your sessions for tokens early, as the order with that number.
  case spread(SpreadOrder, number: UInt64)
  /// Take the order with that number back.
  case takeBackSpread(UInt64)
  /// A request to the control port.
  case request(NodeRequest)

  /// The life of the process that alone can answer; nil if every node has a part of the answer.
  package var owner: NodeBoot? {
    switch self {
    case .user(let connection), .watch(_, let connection), .unwatch(_, let connection),
      .order(.connection(let connection), _), .say(.connection(let connection), _):
      connection.life
    case .request(let request): request.target
    default: nil
    }
  }
}

/// A node's answer to a ``BusQuestion``.
package enum BusAnswer: Hashable, Sendable {
  /// How many sessions or connections it was; 0 and 1 for no and yes.
  case count(Int)
  case users([UserID])
  /// The number of connections that got a message, and the number whose wire cannot express it.
  case said(told: Int, wordless: Int)
  /// When tokens end, and the time at which the first second began.
  case horizon(HorizonReading, at: WallTime)
  /// How many sessions are going to be asked, and over how long.
  case spread(sessions: Int, over: Duration)
  case response(NodeResponse)
  /// There is no such connection or order.
  case nothing
  /// The node could not do what was asked.
  case failed
}

/// The sessions that an operator's order is for.
package enum OrderTarget: Hashable, Sendable {
  case everybody
  case user(UserID)
  case connection(ConnectionID)
}

/// An order to sessions that another node can carry out.
package enum SessionOrder: Hashable, Sendable {
  /// Let the token expire now.
  case expire
  /// Request a new token.
  case ask
  /// A revocation covers the token.
  case revoke
  case disconnect(CloseReason)

  /// Creates the order that gives sessions the event; nil if it makes sense in one process only.
  package init?(_ event: SessionEvent) {
    switch event {
    case .expireNow: self = .expire
    case .askForRefresh: self = .ask
    case .revoked: self = .revoke
    case .disconnect(let reason): self = .disconnect(reason)
    default: return nil
    }
  }

  /// The event that carries it out.
  package var event: SessionEvent {
    switch self {
    case .expire: .expireNow
    case .ask: .askForRefresh
    case .revoke: .revoked
    case .disconnect(let reason): .disconnect(reason)
    }
  }
}
