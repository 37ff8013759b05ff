internal import GatewayCore

/// A search for the primary, by asking Sentinels until one answers.
///
/// The next Sentinel is asked when one fails, and also when it takes long: then both may answer. Only on its loop, which the
/// type system does not see, hence `@unchecked Sendable`.
final class SentinelSearch: @unchecked Sendable {
  /// The time after which the next Sentinel is asked too.
  static let patience = Duration.milliseconds(250)
  /// The time that a search may take.
  static let timeout = Duration.seconds(2)

  /// The outcome of a search: the primary and the place of the Sentinel that named it, or a reason.
  typealias Outcome = Result<(host: String, port: Int, place: Int), Reason>
  struct Reason: Error { let text: String }

  private let sentinels: RedisSentinels
  private let loop: any LinkLoop
  private let first: Int
  private var done: ((Outcome) -> Void)?
  private var probes: [SentinelProbe] = []
  private var failed = 0
  /// The reason of a Sentinel that answered, which says more than that of one that did not, and of any.
  private var said: String?
  private var reason = ""

  /// Creates a search that begins with the Sentinel at the place `first`. `done` is called once, after this call has returned.
  init(_ sentinels: RedisSentinels, from first: Int, on loop: any LinkLoop, _ done: @escaping (Outcome) -> Void) {
    (self.sentinels, self.first, self.loop, self.done) = (sentinels, first, loop, done)
    askNext()
    loop.run(after: Self.timeout) { [weak self] in
      guard let self else { return }
      end(.failure(Reason(text: said ?? (reason.isEmpty ? "no Sentinel answers within 2 s" : reason))))
    }
  }

  /// Ends the search without an outcome.
  func cancel() {
    done = nil
    for probe in probes { probe.close() }
  }

  private func askNext() {
    guard done != nil, probes.count < sentinels.targets.count else { return }
    let place = (first + probes.count) % sentinels.targets.count
    let count = probes.count + 1
    probes.append(SentinelProbe(sentinels, place, on: loop) { [weak self] in self?.take($0, of: place) })
    loop.run(after: Self.patience) { [weak self] in
      guard let self, probes.count == count else { return }
      askNext()
    }
  }

  private func take(_ answer: SentinelProbe.Answer, of place: Int) {
    guard done != nil else { return }
    let sentinel = "Sentinel at \(sentinels.targets[place].address): "
    switch answer {
    case .primary(let host, let port): return end(.success((host, port, place)))
    case .refused(let text): said = sentinel + text
    case .away(let text): reason = sentinel + text
    }
    failed += 1
    if failed == sentinels.targets.count {
      end(.failure(Reason(text: said ?? reason)))
    } else if failed == probes.count {
      askNext()
    }
  }

  private func end(_ outcome: Outcome) {
    guard let done else { return }
    cancel()
    done(outcome)
  }
}

/// The question to one Sentinel.
private final class SentinelProbe: ByteLinkHandler {
  enum Answer {
    case primary(host: String, port: Int)
    /// The Sentinel answered something else.
    case refused(String)
    /// The Sentinel did not answer.
    case away(String)
  }

  private static let answerBytesMax = 4_096

  private let sentinels: RedisSentinels
  private var done: ((Answer) -> Void)?
  private let parser = RedisParser()
  private var link: (any ByteLink)?
  private var replies: [RedisReply] = []
  private var received = 0

  init(_ sentinels: RedisSentinels, _ place: Int, on loop: any LinkLoop, _ done: @escaping (Answer) -> Void) {
    (self.sentinels, self.done) = (sentinels, done)
    link = loop.open(to: sentinels.targets[place], handler: self)
  }

  func close() {
    done = nil
    link?.close()
    link = nil
  }

  private func end(_ answer: Answer) {
    let done = done
    close()
    done?(answer)
  }

  func linkOpened() {
    var commands: [RedisCommand] = []
    if let password = sentinels.password { commands.append(.login(sentinels.user, password)) }
    commands.append(RedisCommand("SENTINEL", "get-master-addr-by-name", sentinels.name))
    link?.send(commands.reduce(into: []) { $0 += $1.formatted() ?? [] })
  }

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    received += bytes.count
    guard received <= Self.answerBytesMax, let parser, parser.feed(bytes) else {
      return end(.refused("its answer is too long for a Sentinel"))
    }
    while link != nil {
      switch parser.next() {
      case .needsMore: return
      case .invalid: end(.refused("it answers as no Sentinel does"))
      case .reply(let reply): take(reply)
      }
    }
  }

  private func take(_ reply: RedisReply) {
    if case .error(let text) = reply { return end(.refused(Self.advice(on: text))) }
    replies.append(reply)
    guard replies.count == (sentinels.password == nil ? 1 : 2) else { return }
    if case .null = reply {
      end(.refused("it knows no primary named '\(sentinels.name)'; check the name in --store"))
    } else if let (host, port) = RedisSentinels.address(in: reply) {
      end(.primary(host: host, port: port))
    } else {
      end(.refused("it answers as no Sentinel does"))
    }
  }

  private static func advice(on error: String) -> String {
    if error.hasPrefix("WRONGPASS") { return "it refuses the user or the password; see --store-sentinel-password-file" }
    if error.hasPrefix("NOAUTH") { return "it wants a password; give a --store-sentinel-password-file" }
    if error.hasPrefix("NOPERM") {
      return "its user needs +sentinel|get-master-addr-by-name; see --store-sentinel-user (\(error))"
    }
    if error.hasPrefix("ERR unknown command") {
      return "it is no Sentinel; name Sentinels in --store redis+sentinel://"
    }
    return error
  }

  func linkClosed(_ reason: String) { end(.away(reason)) }
}
