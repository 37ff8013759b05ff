internal import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// The addresses of hosts, asked for on threads that are no loops and pinned for a while: one question a host at a time.
package final class NameBook: Sendable {
  /// Finds the addresses of a host without holding up a loop, and calls `answer` with them on any thread.
  package typealias Resolver =
    @Sendable (_ host: String, _ answer: @escaping @Sendable (Found) -> Void) -> Void

  package typealias Found = Result<[String], OutboundFailure>

  private struct Entry {
    var addresses: [String] = []
    /// When they were found; nil if they have not been.
    var foundAt: Instant?
    /// The callers that wait for the answer under way; nil if no question is.
    var waiting: [@Sendable (Found) -> Void]?
  }

  private let resolve: Resolver
  private let entries = Mutex<[String: Entry]>([:])

  /// Younger ones are used; those up to the second age while the name service is asked again; those up to the third if it fails
  /// or does not answer.
  private static let fresh = Duration.seconds(30)
  private static let usable = Duration.seconds(90)
  private static let stale = Duration.seconds(600)
  /// How long a caller with old addresses waits for new ones.
  private static let patience = Duration.seconds(1)
  private static let hostsMax = 256

  package init(_ resolve: @escaping Resolver) { self.resolve = resolve }

  /// Returns the addresses of a host, by `end`. Only from a task on the loop.
  nonisolated(nonsending) func addresses(of host: String, on loop: EventLoop, until end: Instant) async -> Found {
    let now = loop.transport.now
    let entry = entries.withLock { $0[host] }
    let age = entry?.foundAt.map { now - $0 }
    let old = entry?.addresses ?? []
    if let age, age < Self.fresh { return .success(old) }
    if let age, age < Self.usable {
      ask(host, at: now) { _ in }
      return .success(old)
    }
    let mayBeOld = age.map { $0 < Self.stale } ?? false
    let found = await TimedAnswer.of(
      on: loop, until: mayBeOld ? min(end, loop.now + Self.patience) : end,
      orElse: Found.failure(OutboundFailure("no answer of the name service in time", .timedOut))
    ) { ask(host, at: now, $0) }
    if mayBeOld, case .failure = found { return .success(old) }
    return found
  }

  /// Asks for the addresses of a host, unless that is under way.
  private func ask(_ host: String, at now: Instant, _ answer: @escaping @Sendable (Found) -> Void) {
    let isFirst = entries.withLock { entries in
      if entries[host] == nil, entries.count >= Self.hostsMax { entries = entries.filter { $1.waiting != nil } }
      let isFirst = entries[host]?.waiting == nil
      entries[host, default: Entry()].waiting = (entries[host]?.waiting ?? []) + [answer]
      return isFirst
    }
    guard isFirst else { return }
    resolve(host) { [self] found in
      let waiting = entries.withLock { entries in
        let waiting = entries[host]?.waiting ?? []
        entries[host]?.waiting = nil
        if case .success(let addresses) = found {
          entries[host]?.addresses = addresses
          entries[host]?.foundAt = now
        }
        return waiting
      }
      for answer in waiting { answer(found) }
    }
  }
}
