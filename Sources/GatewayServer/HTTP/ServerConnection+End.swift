internal import GatewayCore
internal import GatewayRuntime

// How a connection ends, or passes to another owner.

extension ServerConnection {
  /// Ends in good order.
  func finish() {
    if !pending.isEmpty || stream.hasUnread {
      linger()
    } else {
      stream.tls?.endSending()
      end()
    }
  }

  /// The longest wait for another byte of a large body whose client may send all of it before it reads the answer.
  private static let bodyLingerTime = Duration.seconds(5)

  func linger() {
    if case .idle = phase { leaveIdle() }
    endIncoming(isWhole: false)
    stream.endSending()
    phase = .lingering
    dropPending()
    wait(loop.now < lingersUntil ? Self.bodyLingerTime : Self.lingerTime)
    rewatch()
    discard()
  }

  /// Reads and discards bytes; over TLS it does not decrypt them.
  func discard() {
    for _ in 0..<16 {
      switch stream.readPast(loop.inbound) {
      case .moved(0), .failed: return end()
      case .moved: if loop.now < lingersUntil { wait(Self.bodyLingerTime) }
      case .needs: return
      }
    }
  }

  /// Hands the connection over to a new owner: its descriptor, the TLS session, and the bytes read so far after `first`.
  func handOver(behind first: String) -> (descriptor: CInt, session: OpaquePointer?, bytes: [UInt8]) {
    leave()
    let bytes = Array(first.utf8) + pending[pendingStart...]
    dropPending()
    return (stream.descriptor, stream.releaseSession(), bytes)
  }
}

extension ServerConnection: WakeupTarget {
  func wakeUp() {
    guard loop.now >= due else {
      if due != .distantFuture { loop.deadlines.set(wakeup, at: due) }
      return
    }
    switch phase {
    case .idle: finish()
    case .body:
      refuse(.plain(408, "the body did not arrive in time"), .bodyTimeout)
    default: end()
    }
  }
}
