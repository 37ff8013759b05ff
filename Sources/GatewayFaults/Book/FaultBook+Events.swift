package import GatewayCore
package import GatewayRuntime

// Faults that follow an event.

extension FaultBook {
  /// Returns the socket of the connection. If the event has no connection, returns the user's sockets.
  func sockets(_ connection: ConnectionID?, of user: UserID?) -> [FaultySocket] {
    if let connection { return sockets[connection].map { [$0] } ?? [] }
    guard let user else { return [] }
    return inOrder.filter { $0.subject.user == user }
  }
}

extension FaultBook: JournalObserver {
  package func journalWrote(_ kind: JournalKind, by connection: ConnectionID?, of user: UserID?) {
    for fault in standing where fault.order.moment.event == kind {
      fault.note(connection, user)
      if fault.signalFault != nil { loop.execute { [self] in play(fault, after: connection, of: user) } }
      guard fault.order.fault is any SocketFault else { continue }
      // Later, not in the middle of the event.
      loop.execute { [self] in
        for socket in sockets(connection, of: user) { befall(socket, fault) }
      }
    }
  }
}
