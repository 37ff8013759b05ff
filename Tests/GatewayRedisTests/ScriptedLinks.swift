import GatewayCore
import Synchronization

@testable import GatewayRedis

/// A loop in virtual time on the test's own thread, and the servers that its links reach.
///
/// `@unchecked Sendable`: used on the test's own thread only.
final class ScriptedLinks: LinkLoop, @unchecked Sendable {
  /// Returns the bytes of the reply to a command; nil for none.
  typealias Server = ([String]) -> String?

  /// The servers by their addresses. A link to any other is refused.
  var servers: [String: Server] = [:]
  /// The addresses of links that never open.
  var silent: Set<String> = []
  /// The addresses to which links were opened, in order, and when.
  private(set) var opened: [(address: String, at: Instant)] = []
  private(set) var openLinks: [ScriptedLink] = []

  private(set) var now = Instant(nanoseconds: 0)
  private var work: [(at: Instant, order: Int, run: @Sendable () -> Void)] = []
  private var order = 0
  private var chance: UInt64 = 1

  /// A Redis server with that role, which answers `GET` with `reply`; with nothing if that is nil.
  static func redis(_ role: String = "master", _ reply: @autoclosure @escaping () -> String? = "$-1\r\n") -> Server {
    { command in
      switch command.first {
      case "ROLE": "*1\r\n$\(role.utf8.count)\r\n\(role)\r\n"
      case "SCRIPT":
        RedisScript.allCases.first { $0.source == command.last }.map { "$\($0.digest.utf8.count)\r\n\($0.digest)\r\n" }
      case "GET": reply()
      case "SUBSCRIBE": "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
      default: "+OK\r\n"
      }
    }
  }

  var isCurrent: Bool { true }

  func nextShare() -> Double {
    chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(chance >> 11) / Double(1 << 53)
  }

  func open(to target: LinkTarget, handler: any ByteLinkHandler) -> any ByteLink {
    let link = ScriptedLink(target.address, handler, self)
    opened.append((target.address, now))
    openLinks.append(link)
    execute { [self] in
      if servers[target.address] != nil {
        link.handler?.linkOpened()
      } else if !silent.contains(target.address) {
        link.fail("connection refused")
      }
    }
    return link
  }

  func execute(_ work: @escaping @Sendable () -> Void) { run(after: .zero, work) }

  func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    order += 1
    self.work.append((now + delay, order, work))
  }

  /// Does what is due within that time.
  func advance(_ time: Duration) {
    let end = now + time
    while let next = work.indices.min(by: { (work[$0].at, work[$0].order) < (work[$1].at, work[$1].order) }),
      work[next].at <= end
    {
      now = max(now, work[next].at)
      work.remove(at: next).run()
    }
    now = end
  }

  /// Lets these bytes arrive on the open link, after what is due already.
  func deliver(_ reply: String) {
    execute { [self] in Array(reply.utf8).withUnsafeBytes { openLinks.last?.handler?.linkReceived($0) } }
  }

  /// Lets time pass in which the loop does nothing.
  func standStill(_ time: Duration) { now = now + time }

  func closed(_ link: ScriptedLink) { openLinks.removeAll { $0 === link } }

  /// Ends all links to an address.
  func cut(_ address: String) {
    for link in openLinks where link.address == address { link.fail("reset") }
  }
}

/// One of the links of ``ScriptedLinks``.
///
/// `@unchecked Sendable`: used on the test's own thread only.
final class ScriptedLink: ByteLink, @unchecked Sendable {
  let address: String
  private(set) var handler: (any ByteLinkHandler)?
  private let links: ScriptedLinks
  private let parser = RedisParser()

  init(_ address: String, _ handler: any ByteLinkHandler, _ links: ScriptedLinks) {
    (self.address, self.handler, self.links) = (address, handler, links)
  }

  var waitingBytes: Int { 0 }

  func send(_ bytes: [UInt8]) {
    links.execute { [self] in
      guard let parser else { return }
      _ = bytes.withUnsafeBytes { parser.feed($0) }
      while case .reply(.array(let words)) = parser.next() {
        let command = words.map { word in
          guard case .bytes(let text) = word else { return "" }
          return String(decoding: text, as: UTF8.self)
        }
        guard let reply = links.servers[address]?(command) else { continue }
        Array(reply.utf8).withUnsafeBytes { handler?.linkReceived($0) }
      }
    }
  }

  func close() {
    handler = nil
    links.closed(self)
  }

  func fail(_ reason: String) {
    let handler = handler
    close()
    handler?.linkClosed(reason)
  }
}
