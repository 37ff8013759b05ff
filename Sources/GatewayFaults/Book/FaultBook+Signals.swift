package import GatewayCore
package import GatewayRuntime

// Logouts and security events from outside, with every possible fault.

extension FaultBook: SignalObjector {
  package func wait(before sort: SignalSort, about user: UserID?) -> SignalWait? {
    let found = befallen((any SignalFault).self, of: FaultSubject(user: user)) { fault, _ in
      fault.sort == sort && !fault.trick.isPlayed
    }
    guard let (fault, standing) = found, case .late(let duration) = fault.trick else { return nil }
    let (waits, network, number) = (waits, loop.transport, standing.number)
    let (end, purpose) = (network.now + duration, "the fault \(standing.word)")
    return { _ = await waits.wait(until: end, on: network, as: purpose, because: number) }
  }

  /// Sends the signals of a fault whose time has come.
  func play(_ standing: StandingFault) {
    guard let fault = standing.signalFault, let signals else { return }
    switch fault.trick {
    case .replayed: replay(signals.kept(fault.sort), standing, by: nil)
    case .forged:
      var users: Set<UserID> = []
      for socket in inOrder {
        guard let user = socket.subject.user, !users.contains(user) else { continue }
        if forge(standing, fault.sort, of: socket) { users.insert(user) }
      }
    case .late: break
    }
  }

  /// Sends the signals of a fault that follows an event of that connection and user.
  func play(_ standing: StandingFault, after connection: ConnectionID?, of user: UserID?) {
    guard let fault = standing.signalFault, let signals else { return }
    switch fault.trick {
    case .replayed:
      let about = signals.kept(fault.sort).filter { $0.user == nil || $0.user == user }
      replay(about, standing, by: connection)
    case .forged: if let socket = sockets(connection, of: user).first { _ = forge(standing, fault.sort, of: socket) }
    case .late: break
    }
  }

  private func replay(_ kept: [KeptSignal], _ standing: StandingFault, by connection: ConnectionID?) {
    for signal in kept {
      let subject = FaultSubject(user: signal.user)
      guard standing.befalls(subject, connection, at: loop.now) else { continue }
      note(standing, subject, nil)
      signals?.replay(signal)
    }
  }

  private func forge(_ standing: StandingFault, _ sort: SignalSort, of socket: FaultySocket) -> Bool {
    let subject = socket.subject
    guard let user = subject.user, standing.befalls(subject, socket.id, at: loop.now) else { return false }
    note(standing, subject, nil)
    signals?.forge(sort, about: user)
    return true
  }
}

extension StandingFault {
  /// Its fault, if that sends signals that nobody has sent.
  var signalFault: (any SignalFault)? {
    guard let fault = order.fault as? any SignalFault, fault.trick.isPlayed else { return nil }
    return fault
  }
}
