package import GatewayCore
internal import Synchronization

/// The bus of nodes in one test process. Messages are encoded and decoded as between processes.
package final class MemoryBus: Bus {
  /// The channel of several buses, which numbers their messages.
  package final class Channel: Sendable {
    /// A bus has the channel, so the channel does not keep the bus.
    fileprivate struct Member {
      weak var bus: MemoryBus?
    }

    fileprivate let members = Mutex<[Member]>([])

    package init() {}

    /// Sends bytes to every member, as a message or as anything else.
    package func publish(_ bytes: [UInt8]) {
      members.withLock { members in
        for member in members { member.bus?.enqueue(bytes) }
      }
    }
  }

  private struct State {
    var receiver: (any BusReceiver)?
    var sent: UInt64 = 0
    var back: UInt64 = 0
    var waiters: [(target: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var isCut = false
  }

  private let life: NodeBoot
  private let channel: Channel
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())

  /// Creates the bus of a node.
  ///
  /// - Parameters:
  ///   - life: The life of the node's process.
  ///   - channel: The channel of all nodes.
  ///   - run: Runs work on the loop on which messages are received, in order.
  package init(
    as life: NodeBoot, on channel: Channel, run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    (self.life, self.channel, self.run) = (life, channel, run)
    channel.members.withLock { $0.append(Channel.Member(bus: self)) }
  }

  /// Whether the node is cut off: nothing arrives, and nothing is sent. When it is not any more, it has missed something.
  package var isAway: Bool {
    get { state.withLock { $0.isCut } }
    set {
      let receiver = state.withLock { state in
        state.isCut = newValue
        return state.receiver
      }
      if newValue { comeBack(.max) } else { run { receiver?.missed() } }
    }
  }

  package func open(_ receiver: any BusReceiver) { state.withLock { $0.receiver = receiver } }

  package func send(_ message: BusMessage) {
    // Another sender must not come between the count and the channel.
    channel.members.withLock { members in
      let bytes = state.withLock { state -> [UInt8]? in
        state.sent += 1
        if state.isCut { state.back = state.sent }
        return state.isCut ? nil : message.encoded(from: life, count: state.sent)
      }
      if let bytes { for member in members { member.bus?.enqueue(bytes) } }
    }
  }

  private func enqueue(_ bytes: [UInt8]) {
    run { [self] in
      guard let (message, sender, count) = try? BusMessage.decoded(bytes[...]) else { return }
      guard let receiver = state.withLock({ $0.isCut ? nil : $0.receiver }) else { return }
      receiver.receive(message, from: sender)
      if sender == life { comeBack(count) }
    }
  }

  private func comeBack(_ count: UInt64) {
    let released = state.withLock { state in
      let back = max(state.back, min(count, state.sent))
      state.back = back
      let released = state.waiters.filter { $0.target <= back }.map(\.continuation)
      state.waiters.removeAll { $0.target <= back }
      return released
    }
    for continuation in released { continuation.resume() }
  }

  package nonisolated(nonsending) func settle() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.back >= state.sent { return true }
        state.waiters.append((state.sent, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
