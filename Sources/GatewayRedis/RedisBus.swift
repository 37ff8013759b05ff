package import GatewayCore
internal import Synchronization

/// The bus of the nodes that share a prefix of keys: one channel of the Redis server, on which a script numbers every message.
///
/// It has two connections, one that publishes and one that is subscribed. A message that is published while a node has no
/// subscription is lost to it.
///
/// `@unchecked Sendable`: what is not behind a lock is touched only on the lanes' loop.
package final class RedisBus: Bus, @unchecked Sendable {
  /// The maximum number of bytes of one message.
  static let bytesMax = 16 << 20
  /// The time that a node waits at most for its own messages.
  private static let patience = Duration.seconds(1)
  private static let pingInterval = Duration.seconds(2)

  let life: NodeBoot
  /// The loop on which messages are received.
  let loop: any LinkLoop
  private let prefix: String
  private let server: String
  private let publisher: RedisLane
  private var subscriber: RedisLane?
  private let trouble: @Sendable (String) -> Void
  private let isOpen = Atomic(false)
  private let outbox = Mutex(Outbox())
  private let counts = Mutex(BusCounts())

  private var receiver: (any BusReceiver)?
  /// The number of the last message; nil at the beginning of a subscription.
  private var last: UInt64?
  private var hasBegun = false
  private var hasEnded = false
  /// The functions that wait for a message with at least that number.
  private var arrivals: [(number: UInt64, order: UInt64, then: @Sendable () -> Void)] = []
  private var arrivalCount: UInt64 = 0
  /// Takes the turns that the node is granted while it waits.
  private var granted: (@Sendable (TurnGrant) -> Void)?

  /// The messages and functions that leave the node in order.
  private enum Outgoing: Sendable {
    /// A message, and how many the node has sent with it.
    case message([UInt8], UInt64)
    case work(@Sendable () -> Void)
  }

  /// The node's messages that have not come back, and the tasks that wait for them.
  private struct Outbox {
    var unsent: [Outgoing] = []
    /// The messages that were sent, lost ones too.
    var sent: UInt64 = 0
    /// How many of them have come back, or never will.
    var back: UInt64 = 0
    var waiters: [(target: UInt64, number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var waiterCount: UInt64 = 0

    /// Removes and returns the tasks that have waited enough.
    mutating func release(where isOver: (UInt64, UInt64) -> Bool) -> [CheckedContinuation<Void, Never>] {
      let released = waiters.filter { isOver($0.target, $0.number) }.map(\.continuation)
      if !released.isEmpty { waiters.removeAll { isOver($0.target, $0.number) } }
      return released
    }
  }

  /// Creates the bus of a process.
  ///
  /// - Parameters:
  ///   - settings: The server and the prefix, whose channel it is.
  ///   - life: The life of this process among the processes with the same prefix.
  ///   - loop: The loop on which messages are received.
  ///   - trouble: A function that is called with each reason why messages may be lost.
  package init(
    _ settings: RedisSettings, as life: NodeBoot, on loop: any LinkLoop, trouble: @escaping @Sendable (String) -> Void
  ) {
    (self.life, self.loop, self.trouble) = (life, loop, trouble)
    prefix = settings.prefix
    server = settings.server
    publisher = RedisLane(on: loop, settings)
    let subscription = RedisSubscription(
      channel: "\(settings.prefix):bus", opened: { [weak self] in self?.begin() },
      received: { [weak self] in self?.take($0) }, closed: { [weak self] in self?.pause() })
    subscriber = RedisLane(on: loop, settings, subscription: subscription, trouble: trouble)
  }

  deinit {
    publisher.end()
    subscriber?.end()
  }

  /// The counts of sent, received and lost messages.
  package var figures: BusCounts { counts.withLock { $0 } }

  package var isAway: Bool { !isOpen.load(ordering: .relaxed) }

  package func open(_ receiver: any BusReceiver) {
    loop.execute { [self] in self.receiver = receiver }
  }

  /// Subscribes, and sends the first message. Throws what is wrong with the server or its user's rights.
  package func start(saying first: BusMessage) async throws(RedisStartError) {
    // A subscriber may ask for nothing but this.
    if let subscriber { try await check(subscriber, [RedisCommand("PING")]) }
    var hello = RedisCommand()
    let bytes = outbox.withLock { outbox in
      outbox.sent += 1
      return first.encoded(from: life, count: outbox.sent)
    }
    hello.append(bytes)
    try await check(publisher, [.load(.publish), .call(.publish, prefix, hello)])
  }

  private func check(_ lane: RedisLane, _ commands: [RedisCommand]) async throws(RedisStartError) {
    let reason: String
    switch await lane.ask(commands) {
    case .failure(let failure): reason = failure.reason
    case .success(let replies):
      guard case .error(let text)? = replies.last else { return }
      reason = "\(server): \(Self.isMissingRight(text) ? RedisSubscription.missingRight : text)"
    }
    throw RedisStartError(
      description: reason, isLasting: reason.contains(bytesOf: RedisSubscription.missingRight))
  }

  /// Returns whether an error of the server says that the user may not do it; inside a script it has other words.
  private static func isMissingRight(_ text: String) -> Bool {
    text.contains(bytesOf: "NOPERM") || text.contains(bytesOf: "ACL failure")
      || text.contains(bytesOf: "user executing the script")
  }

  /// Closes the connections; who waits, waits no longer.
  package func end() {
    loop.execute { [self] in
      hasEnded = true
      isOpen.store(false, ordering: .relaxed)
      publisher.end()
      subscriber?.end()
      receiver = nil
      granted = nil
      comeBack(.max)
      arrive(.max)
    }
  }

  // MARK: Sending

  package func send(_ message: BusMessage) {
    add { outbox in
      outbox.sent += 1
      return .message(message.encoded(from: life, count: outbox.sent), outbox.sent)
    }
  }

  /// Runs `work` on the loop after the messages that were sent until now were handed to the connection. From any thread.
  func afterSent(_ work: @escaping @Sendable () -> Void) {
    add { _ in .work(work) }
  }

  private func add(_ make: (inout Outbox) -> Outgoing) {
    let isFirst = outbox.withLock { outbox in
      outbox.unsent.append(make(&outbox))
      return outbox.unsent.count == 1
    }
    guard isFirst else { return }
    // Also on the loop: a lane must not be asked from inside the handling of its own replies.
    loop.execute { [self] in publish() }
  }

  private func publish() {
    let unsent = outbox.withLock { outbox in
      var unsent: [Outgoing] = []
      swap(&unsent, &outbox.unsent)
      return unsent
    }
    for outgoing in unsent {
      switch outgoing {
      case .work(let work): work()
      case .message(let bytes, let number):
        guard bytes.count <= Self.bytesMax, !hasEnded else {
          counts.withLock { $0.lost += 1 }
          comeBack(number)
          continue
        }
        var message = RedisCommand()
        message.append(bytes)
        publish(message, number)
      }
    }
  }

  private func publish(_ message: RedisCommand, _ number: UInt64) {
    call(.publish, message) { [weak self] answer in
      guard let self else { return }
      if case .success(.integer) = answer {
        counts.withLock { $0.sent += 1 }
        // Without a subscription it does not come back.
        if isAway { comeBack(number) }
        return
      }
      counts.withLock { $0.lost += 1 }
      if case .success(.error(let text)) = answer { tell(text) }
      comeBack(number)
    }
  }

  /// Runs a script on the connection on which messages are published; `answer` is called on the loop. Only on it.
  func call(
    _ script: RedisScript, _ arguments: RedisCommand, mayLoad: Bool = true,
    _ answer: @escaping @Sendable (Result<RedisReply, RedisFailure>) -> Void
  ) {
    let call = RedisCommand.call(script, prefix, arguments)
    publisher.ask(mayLoad ? [call] : [.load(script), call]) { [weak self] replies in
      if mayLoad, case .success(let replies) = replies, replies[0].isError("NOSCRIPT") {
        self?.call(script, arguments, mayLoad: false, answer)
      } else {
        answer(replies.map { $0[$0.count - 1] })
      }
    }
  }

  private var lastTold = ""

  /// Tells the operator of an error of the server, once until it is another.
  private func tell(_ text: String) {
    guard lastTold != text else { return }
    lastTold = text
    let reason = Self.isMissingRight(text) ? RedisSubscription.missingRight : text
    trouble("\(server) refuses a message between processes: \(reason)")
  }

  /// Notes that the node's messages up to that number have come back, or never will.
  private func comeBack(_ number: UInt64) {
    let released = outbox.withLock { outbox in
      outbox.back = max(outbox.back, min(number, outbox.sent))
      let back = outbox.back
      return outbox.release { target, _ in target <= back }
    }
    for continuation in released { continuation.resume() }
  }

  package nonisolated(nonsending) func settle() async {
    guard outbox.withLock({ $0.back < $0.sent }) else { return }
    await withCheckedContinuation { continuation in
      let number = outbox.withLock { outbox -> UInt64? in
        guard outbox.back < outbox.sent else { return nil }
        outbox.waiterCount += 1
        outbox.waiters.append((outbox.sent, outbox.waiterCount, continuation))
        return outbox.waiterCount
      }
      guard let number else { return continuation.resume() }
      loop.execute { [self] in
        loop.run(after: Self.patience) { [weak self] in self?.giveUp(number) }
      }
    }
  }

  private func giveUp(_ number: UInt64) {
    let released = outbox.withLock { outbox in outbox.release { _, waiter in waiter == number } }
    guard !released.isEmpty else { return }
    counts.withLock { $0.late += 1 }
    for continuation in released { continuation.resume() }
  }

  // MARK: Receiving

  /// Has `take` be given the turns that the node is granted. Only on the loop.
  func hearGrants(_ take: @escaping @Sendable (TurnGrant) -> Void) { granted = take }

  /// Runs `then` once the node has received the message with that number, at most a second later; at once while it receives
  /// none. Only on the loop.
  func reach(_ number: UInt64, _ then: @escaping @Sendable () -> Void) {
    guard !isAway, number > last ?? 0 else { return then() }
    arrivalCount += 1
    let order = arrivalCount
    arrivals.append((number, order, then))
    loop.run(after: Self.patience) { [weak self] in
      guard let self, let index = arrivals.firstIndex(where: { $0.order == order }) else { return }
      counts.withLock { $0.late += 1 }
      arrivals.remove(at: index).then()
    }
  }

  /// Runs what waited for messages up to that number.
  private func arrive(_ number: UInt64) {
    guard !arrivals.isEmpty else { return }
    let over = arrivals.filter { $0.number <= number }
    arrivals.removeAll { $0.number <= number }
    for arrival in over { arrival.then() }
  }

  /// The subscription begins.
  private func begin() {
    guard !hasEnded else { return }
    last = nil
    // Messages from here on are not lost to a pause before the next attempt.
    publisher.hurry()
    isOpen.store(true, ordering: .relaxed)
    if hasBegun {
      miss("the connection was lost")
      // It comes back with the number of the present.
      send(.note(VendorNote("gateway.bus", "")))
    }
    hasBegun = true
    ping()
  }

  /// The subscription ends.
  private func pause() {
    isOpen.store(false, ordering: .relaxed)
    comeBack(.max)
    arrive(.max)
  }

  private func ping() {
    subscriber?.ask([RedisCommand("PING")]) { [weak self] answer in
      guard let self, !hasEnded, case .success = answer else { return }
      loop.run(after: Self.pingInterval) { [weak self] in
        guard let self, !isAway else { return }
        ping()
      }
    }
  }

  private func miss(_ reason: String) {
    counts.withLock { $0.gaps += 1 }
    trouble("messages of other processes may be missing: \(reason)")
    receiver?.missed()
  }

  private func take(_ bytes: [UInt8]) {
    let number = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let isNext = last.map { number == $0 &+ 1 } ?? false
    let grant = TurnGrant(bytes)
    let found = grant == nil && bytes.count > 8 ? try? BusMessage.decoded(bytes[8...]) : nil
    guard grant != nil || found != nil else {
      counts.withLock { $0.refused += 1 }
      // A message of another program has no number.
      if isNext { last = number }
      return
    }
    if let last, !isNext { miss("number \(number) came after \(last)") }
    last = number
    if let found {
      counts.withLock { $0.received += 1 }
      receiver?.receive(found.message, from: found.sender)
      if found.sender == life { comeBack(found.count) }
    }
    arrive(number)
    if let grant, grant.life == life { granted?(grant) }
  }
}
