internal import GatewayCore

/// The connection of one event loop to a Redis server, on which commands are pipelined.
///
/// It connects when it is first asked, and again after each loss, with a growing delay. A reply that does not come in time
/// closes the connection. With Sentinels it asks them before each attempt which server is the primary.
///
/// `@unchecked Sendable`: everything but the settings is touched only on the loop.
final class RedisLane: @unchecked Sendable, ByteLinkHandler {
  typealias Answer = Result<[RedisReply], RedisFailure>

  /// The time that a reply may take, and the time more for each 64 KiB that waits for replies.
  static let replyTimeout = Duration.seconds(2)
  private static let replyTimeoutMore = Duration.seconds(1)
  /// The maximum number of commands that wait for replies, and of their bytes.
  private static let waitingMax = 65_536
  private static let waitingBytesMax = 64 << 20

  let loop: any LinkLoop
  private let settings: RedisSettings
  private let subscription: RedisSubscription?
  private let trouble: @Sendable (String) -> Void
  /// The server of the present attempt; nil while Sentinels have not named one.
  private var target: LinkTarget?
  private var search: SentinelSearch?
  /// The place of the Sentinel that is asked first.
  private var sentinel = 0
  private var link: (any ByteLink)?
  private var parser: RedisParser?
  private var phase = Phase.idle
  /// The commands that wait for the connection.
  private var unsent: [Request] = []
  /// The commands that wait for their replies, in order; those before ``firstSent`` have them.
  private var sent: [Request] = []
  private var firstSent = 0
  /// The replies that have come to the first of them.
  private var replies: [RedisReply] = []
  private var waitingBytes = 0
  private var isTimerSet = false
  /// The number of reads of the socket, and what it was when a reply was found to be overdue.
  private var (readCount, overdueCount): (UInt64, UInt64?) = (0, nil)
  private var backoff = RedisBackoff()
  /// The reason why there is no connection; nil before the first failure after one.
  private var lastReason: String?
  /// The server was known to be there when the present attempt had begun, which may have been too early.
  private var isHurried = false
  private var hasEnded = false

  private enum Phase { case idle, searching, connecting, greeting, open, pausing }

  /// Creates a lane.
  ///
  /// - Parameters:
  ///   - loop: The loop that it is on.
  ///   - settings: The server, and how to log in.
  ///   - subscription: The channel that it subscribes to; it then takes no other command than `PING`. Nil for none.
  ///   - trouble: A function that is called with the reason of each loss of the connection.
  init(
    on loop: any LinkLoop, _ settings: RedisSettings, subscription: RedisSubscription? = nil,
    trouble: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.loop = loop
    self.settings = settings
    target = settings.sentinels == nil ? settings.target : nil
    self.subscription = subscription
    self.trouble = trouble
  }

  // MARK: Commands

  /// Sends the commands after each other, with no other between them, and returns their replies.
  func ask(_ commands: RedisCommand...) async -> Result<[RedisReply], RedisFailure> { await ask(commands) }

  func ask(_ commands: [RedisCommand]) async -> Result<[RedisReply], RedisFailure> {
    await withCheckedContinuation { continuation in ask(commands) { continuation.resume(returning: $0) } }
  }

  /// Sends the commands after each other, with no other between them; `answer` is called on the loop with their replies.
  func ask(_ commands: [RedisCommand], _ answer: @escaping @Sendable (Answer) -> Void) {
    var bytes: [UInt8] = []
    for command in commands {
      guard let formatted = command.formatted() else {
        return run { _ in answer(.failure(.notSent("no memory for a command"))) }
      }
      if bytes.isEmpty { bytes = formatted } else { bytes += formatted }
    }
    run { [bytes] in $0.add(bytes, count: commands.count, answer) }
  }

  /// Closes the connection; what waits fails.
  func end() {
    run { lane in
      lane.hasEnded = true
      lane.lose("the store is closed")
    }
  }

  private func run(_ work: @escaping @Sendable (RedisLane) -> Void) {
    if loop.isCurrent { work(self) } else { loop.execute { work(self) } }
  }

  private func add(_ bytes: [UInt8], count: Int, _ answer: @escaping (Answer) -> Void) {
    let waiting = unsent.count + sent.count - firstSent
    guard !hasEnded, waiting < Self.waitingMax, waitingBytes + bytes.count <= Self.waitingBytesMax else {
      return answer(.failure(.notSent(hasEnded ? "the store is closed" : "\(address): too many commands wait for it")))
    }
    if phase == .pausing, let lastReason { return answer(.failure(.notSent(lastReason))) }
    waitingBytes += bytes.count
    let request = Request(bytes: bytes, size: bytes.count, count: count, since: loop.now, answer: answer)
    switch phase {
    case .open: send(request)
    case .searching, .connecting, .greeting: unsent.append(request)
    case .idle:
      unsent.append(request)
      connect()
    case .pausing:
      unsent.append(request)
    }
    setTimer()
  }

  private func send(_ request: Request) {
    link?.send(request.bytes)
    var request = request
    request.bytes = []
    sent.append(request)
  }

  private var address: String { settings.server(at: target) }

  // MARK: Connection

  private func connect() {
    guard !hasEnded else { return }
    guard let sentinels = settings.sentinels else { return connect(to: settings.target) }
    phase = .searching
    target = nil
    search = SentinelSearch(sentinels, from: sentinel, on: loop) { [weak self] outcome in
      guard let self else { return }
      search = nil
      switch outcome {
      case .failure(let reason): lose(reason.text)
      case .success(let (host, port, place)):
        sentinel = place
        var target = settings.target
        (target.host, target.port) = (host, port)
        self.target = target
        guard target.isTLS || sentinels.allowsPlain || target.isLoopback else {
          return lose(
            "it is on another machine, and would get the password and every row in clear: use rediss+sentinel://, or "
              + "--store-allow-plain in a network that you trust")
        }
        connect(to: target)
      }
    }
  }

  private func connect(to target: LinkTarget) {
    guard let parser = RedisParser() else { return lose("no memory for a connection") }
    self.parser = parser
    phase = .connecting
    link = loop.open(to: target, handler: self)
  }

  func linkOpened() {
    phase = .greeting
    var greeting: [RedisCommand] = []
    if let password = settings.password { greeting.append(.login(settings.user, password)) }
    greeting.append(RedisCommand("CLIENT", "SETNAME", "postern"))
    greeting.append(RedisCommand("ROLE"))
    if let subscription {
      greeting.append(RedisCommand("SUBSCRIBE", subscription.channel))
    } else {
      for script in RedisScript.allCases { greeting.append(.load(script)) }
    }
    let bytes = greeting.reduce(into: [UInt8]()) { $0 += $1.formatted() ?? [] }
    let count = greeting.count
    waitingBytes += bytes.count
    send(
      Request(bytes: bytes, size: bytes.count, count: count, since: loop.now) { [weak self] answer in
        guard let self, case .success(let replies) = answer else { return }
        if let fault = fault(of: replies) {
          lose(fault)
        } else {
          greeted()
        }
      })
    setTimer()
  }

  /// Returns why the greeting's replies do not open the connection; nil if they do.
  private func fault(of replies: [RedisReply]) -> String? {
    for reply in replies {
      guard case .error(let text) = reply else { continue }
      if subscription != nil, text.hasPrefix("NOPERM") { return RedisSubscription.missingRight }
      if text.hasPrefix("WRONGPASS") { return "it refuses the user or the password; see --store-password-file" }
      if text.hasPrefix("NOAUTH") { return "it wants a password; give a --store-password-file" }
      return text
    }
    let answer = replies.dropFirst(settings.password == nil ? 1 : 2).first
    guard case .array(let role)? = answer, case .bytes(let name)? = role.first
    else {
      return "it does not say its role"
    }
    guard name.elementsEqual("master".utf8) else {
      return settings.sentinels == nil
        ? "it is a replica; name the primary, which accepts writes"
        : "Sentinel names it, but it is not the primary; a failover may be under way"
    }
    guard subscription == nil else { return nil }
    for (script, reply) in zip(RedisScript.allCases, replies.suffix(RedisScript.allCases.count)) {
      guard case .bytes(let digest) = reply, digest.elementsEqual(script.digest.utf8) else {
        return "it does not load scripts as Redis does"
      }
    }
    return nil
  }

  private func greeted() {
    phase = .open
    lastReason = nil
    isHurried = false
    backoff = RedisBackoff()
    let waiting = unsent
    unsent = []
    for request in waiting { send(request) }
    subscription?.opened()
  }

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    readCount += 1
    guard let parser, parser.feed(bytes) else { return lose("no memory for its reply") }
    while self.parser === parser {
      switch parser.next() {
      case .needsMore: return
      case .invalid: return lose("it sent what is no reply of Redis, or one that is too large")
      case .reply(let reply): take(reply)
      }
    }
  }

  private func take(_ reply: RedisReply) {
    if let subscription, let message = RedisSubscription.message(in: reply) {
      if phase == .open { subscription.received(message) }
      return
    }
    guard firstSent < sent.count else { return lose("it sent a reply that nobody asked for") }
    replies.append(reply)
    guard replies.count == sent[firstSent].count else { return }
    let request = sent[firstSent]
    firstSent += 1
    if firstSent == sent.count {
      sent.removeAll(keepingCapacity: sent.count < 1024)
      firstSent = 0
    } else if firstSent >= 1024, firstSent * 2 >= sent.count {
      sent.removeFirst(firstSent)
      firstSent = 0
    }
    waitingBytes -= request.size
    let answer = replies
    replies = []
    request.answer(.success(answer))
    // A failover has made a replica of it.
    if answer.contains(where: { $0.isError("READONLY") }) { lose("it has become a replica") }
  }

  func linkClosed(_ reason: String) {
    // A link that was closed here may have been about to report its end too.
    guard link != nil else { return }
    // With TLS 1.3 a server refuses a client's certificate after the handshake, often with a reset only.
    let isUnanswered = phase == .greeting && firstSent == 0 && replies.isEmpty
    let hint = target?.isTLS == true && isUnanswered ? "; does it want a certificate of its clients?" : ""
    lose(reason + hint)
  }

  // MARK: Losses

  /// Closes the connection, fails what waits, and connects again after a while.
  private func lose(_ reason: String) {
    if phase == .open { subscription?.closed() }
    // The Sentinel may not know yet what others know.
    if phase != .open, let sentinels = settings.sentinels { sentinel = (sentinel + 1) % sentinels.targets.count }
    search?.cancel()
    search = nil
    link?.close()
    link = nil
    parser = nil
    replies = []
    let lostReason = "\(address): \(reason)"
    if !hasEnded, lastReason != lostReason { trouble(lostReason) }
    // What waits goes with the next attempt.
    let isTooEarly = isHurried && !hasEnded
    isHurried = false
    lastReason = isTooEarly ? nil : lostReason
    let (lost, never) = (sent[firstSent...], isTooEarly ? [] : unsent)
    sent = []
    firstSent = 0
    if !isTooEarly { unsent = [] }
    waitingBytes = unsent.reduce(0) { $0 + $1.size }
    if hasEnded {
      phase = .idle
    } else {
      phase = .pausing
      loop.run(after: backoff.next(loop.nextShare())) { [weak self] in self?.resume() }
    }
    for request in lost { request.answer(.failure(.lost(lostReason))) }
    for request in never { request.answer(.failure(.notSent(lostReason))) }
  }

  private func resume() {
    if phase == .pausing { connect() }
  }

  /// Connects at once if it waits to, because the server is known to be there. Commands from now on go to the server, even
  /// if an attempt that has begun already fails. Only on the loop.
  func hurry() {
    backoff = RedisBackoff()
    isHurried = phase == .searching || phase == .connecting || phase == .greeting
    resume()
  }

  private func setTimer() {
    guard !isTimerSet, let oldest = oldest else { return }
    isTimerSet = true
    loop.run(after: max(.milliseconds(1), oldest + timeout - loop.now)) { [weak self] in self?.check() }
  }

  private var timeout: Duration { Self.replyTimeout + Self.replyTimeoutMore * (waitingBytes >> 16) }

  private var oldest: Instant? {
    let first = firstSent < sent.count ? sent[firstSent].since : nil
    guard let waiting = unsent.first?.since else { return first }
    return first.map { min($0, waiting) } ?? waiting
  }

  private func check() {
    isTimerSet = false
    guard let oldest, oldest + timeout <= loop.now else {
      overdueCount = nil
      return setTimer()
    }
    // If this loop itself stood still, replies wait in the socket. They are read before the next turn's timers.
    guard overdueCount == readCount else {
      (overdueCount, isTimerSet) = (readCount, true)
      return loop.run(after: .milliseconds(1)) { [weak self] in self?.check() }
    }
    overdueCount = nil
    lose("no reply within \(Int(timeout.inSeconds)) s")
  }
}
